"""What Lhotse's recipes write, field for field, as its code has them (lhotse/recipes, July 2026): for each recipe a
recording and its supervisions, or a cut, and what is to be read from it."""

RATE = 16000
NOTHING = object()


def recording(id, source, seconds=4.0, channels=1, rate=RATE, **more):
    """Recording.from_file()"""
    return {"id": id, "sources": [{"type": "file", "channels": list(range(channels)), "source": source}],
            "sampling_rate": rate, "num_samples": round(seconds * rate), "duration": seconds,
            "channel_ids": list(range(channels)), **more}


def headsets(id, sources, seconds=4.0):
    """A recording with a file for each channel, as of meetings."""
    return {"id": id, "sources": [{"type": "file", "channels": [number], "source": source}
                                  for number, source in enumerate(sources)],
            "sampling_rate": RATE, "num_samples": round(seconds * RATE), "duration": seconds,
            "channel_ids": list(range(len(sources)))}


def said(id, recording_id, start=0.0, duration=4.0, channel=0, **more):
    """SupervisionSegment.to_dict(): members that are None are left out."""
    return {"id": id, "recording_id": recording_id, "start": start, "duration": duration, "channel": channel, **more}


class Recipe:
    def __init__(self, name, recordings, supervisions, subset="all", prefix=None, facts=(),
                 names=("recordings", "supervisions"),
                 subsets=None, text_of=None, options=()):
        self.name, self.recordings, self.supervisions = name, recordings, supervisions
        self.prefix = name if prefix is None else prefix
        end = f"_{subset}" if subset else ""
        ends = subsets or (end, end)
        self.files = {f"{self.prefix}_{names[0]}{ends[0]}.jsonl.gz": recordings,
                      f"{self.prefix}_{names[1]}{ends[1]}.jsonl.gz": supervisions}
        self.facts = dict(facts)  # of the first sample
        self.text_of = text_of or (lambda one: one.get("text"))
        self.options = list(options)


def chinese(name, id, speaker, text="而对楼市成交", subset="train", prefix=None, more=()):
    return Recipe(name, [recording(id, f"wav/{id}.wav")],
                  [said(id, id, text=text, language="Chinese", **({"speaker": speaker} if speaker else {}),
                        **dict(more))],
                  subset=subset, prefix=prefix, facts={"language": "Chinese", "lang": "Chinese"})


def english(name, id, subset="all", prefix=None, facts=(), text="hello there", start=0.0, duration=4.0, source=None,
            **more):
    return Recipe(name, [recording(id, source or f"wav/{id}.wav")],
                  [said(f"{id}", id, start, duration, text=text, language="English", **more)], subset=subset,
                  prefix=prefix,
                  facts=facts)


def recipes():
    words = [["hello", 0.1, 0.4, 0.9], ["there", 0.6, 0.3, 0.8]]
    yield chinese("aishell", "BAC009S0002W0122", "S0002")
    yield chinese("aidatatang", "T0055G0002S0001", "G0002")
    yield chinese("magicdata", "38_5837_20170614170829", "38_5837")
    yield chinese("primewords", "00a0b8b7-5cbd", "P0001")
    yield chinese("stcmds", "20170001P00001A0001I", "P00001A")
    yield chinese("thchs_30", "A11_0", "A11", text="绿 是 阳春")
    yield chinese("kespeech-asr", "1000001_1234", "1000001", subset="train_phase1")
    yield Recipe("librispeech", [recording("103-1240-0000", "LibriSpeech/train-clean-100/103/1240/103-1240-0000.flac")],
                 [said("103-1240-0000", "103-1240-0000", text="CHAPTER ONE", language="English", speaker="103",
                       alignment={"word": words})], subset="train-clean-100", facts={"speaker": "103"})
    yield Recipe("cv-en", [recording("common_voice_en_1", "en/clips/common_voice_en_1.mp3.wav")],
                 [said("common_voice_en_1", "common_voice_en_1", text="A sentence.", language="en", speaker="f00d",
                       gender="female_feminine", custom={"age": "twenties", "accents": None, "variant": None})],
                 subset="train",
                 facts={"speaker": "f00d", "gender": "female_feminine", "age": "twenties", "accents": NOTHING})
    yield Recipe("gigaspeech", [recording("POD0001", "audio/podcast/P0000/POD0001.wav", 9.0)],
                 [said(f"POD0001_S000000{i}", "POD0001", start, length, text=f"AS THEY <COMMA> {i}", language="English",
                       speaker="N/A")
                  for i, start, length in ((8, 1.5, 2.36), (9, 5.25, 3.0))], subset="XL", facts={"speaker": "N/A"})
    yield english("ljspeech", "LJ001-0001", text="Printing, in 1455", gender="female",
                  custom={"normalized_text": "Printing, in fourteen"},
                  facts={"normalized_text": "Printing, in fourteen"})
    meeting = headsets("ES2002a", [f"amicorpus/ES2002a/audio/ES2002a.Headset-{i}.wav" for i in range(4)], 9.0)
    yield Recipe("ami-ihm", [meeting],
                 [said(f"ES2002a-{channel}-0", "ES2002a", 1.25 + channel, 2.5, channel, text=f"okay {channel}",
                       language="English",
                       speaker=f"MEE00{channel}", gender="M", alignment={"word": words}) for channel in range(4)],
                       subset="train",
                 facts={"speaker": "MEE000"})
    yield Recipe("icsi-sdm", [recording("Bdb001", "icsi/Bdb001/chanE.wav", 9.0)],
                 [said("Bdb001-0-0", "Bdb001", 2.0, 1.5, 0, text="yeah", language="English", speaker="me001",
                       gender="m")],
                 subset="train")
    yield english("atcosim", "atcosim_gf1_01_001", text="contact rhein", speaker="gf1", gender="F",
                  custom={"orig_text": "contact rhein ="}, facts={"orig_text": "contact rhein ="})
    yield Recipe("audio_mnist", [recording("0_01_0", "data/01/0_01_0.wav")],
                 [said("0_01_0", "0_01_0", 0, 4.0, text="zero", language="English", speaker="01",
                       custom={"accent": "german", "age": "30", "native speaker": "no"})], subset="",
                 facts={"accent": "german", "age": "30", "native speaker": "no"})
    yield Recipe("callhome-english", [recording("en_4065", "callhome/en_4065.wav", 9.0, 2)],
                 [said(f"en_4065_A1_0000{channel}", "en_4065", 1.0 + channel, 2.5, channel,
                       speaker=f"en_4065_{channel}", text="hi")
                  for channel in (0, 1)], subset="train")
    yield Recipe("fisher-english", [recording("fe_03_00001", "fisher/fe_03_00001.wav", 9.0, 2)],
                 [said("fe_03_00001-001", "fe_03_00001", 3.76, 1.78, 1, text="and i generally prefer",
                       language="English",
                       speaker="2602")], facts={"speaker": "2602"})
    yield chinese("baker_zh", "000001", "", subset="all",
                  more={"gender": "female", "custom": {"pinyin": "ka2 er2", "normalized_text": "卡尔普"}})
    yield Recipe("bengaliai_speech", [recording("000005f3362c", "train_mp3s/000005f3362c.wav")],
                 [said("000005f3362c", "000005f3362c", text="ও বলেছে", language="Bengali")], subset="train",
                 facts={"language": "Bengali"})
    yield english("cmu-arctic", "cmu_us_bdl_arctic-arctic_a0001", text="Author of the danger trail", start=0,
                  speaker="bdl",
                  gender="male", custom={"accent": "US"}, facts={"accent": "US", "gender": "male"})
    yield english("cmu-kids", "facs2ap2", start=0, speaker="facs", gender="Female",
                  custom={"speaker_grade": None, "speaker_age": 8, "speaker_population": "p", "bin": 1,
                          "spoken_transcript": "a b"},
                  facts={"speaker_age": 8, "bin": 1, "speaker_grade": NOTHING})
    yield english("dailytalk", "0_1_d0", speaker="dailytalk_spk1", gender="F",
                  custom={"turn": 0, "topic": 3, "emotion": "no emotion", "act": "question"},
                  facts={"turn": 0, "emotion": "no emotion"})
    yield Recipe("eval2000", [recording("en_4156", "eval2000/en_4156.wav", 9.0, 2)],
                 [said("en_4156-A-000", "en_4156", 2.5, 1.25, 0, text="oh", language="English", speaker="en_4156-A"),
                  said("en_4156-B-001", "en_4156", 4.0, 1.25, 1, text="yes", language="English", speaker="en_4156-B")],
                 subsets=("_all", "_unnorm"))
    yield Recipe("fleurs-en_us", [recording("10004088536354799741", "en_us/audio/train/10004088536354799741.wav")],
                 [said("903_0_10004088536354799741", "10004088536354799741", text="a tornado is", language="en_us",
                       speaker="903_0", gender="FEMALE", custom={"raw_text": "A tornado is"})], subset="train",
                 facts={"raw_text": "A tornado is", "language": "en_us"})
    yield Recipe("gigaspeech2-th", [recording("0-1-2", "data/th/train/0/1/0-1-2.wav")],
                 [said("0-1-2", "0-1-2", text="สวัสดี", language="th")], subset="train_refined")
    yield english("hifitts", "caponsacchi_01", subset="92_clean_train", text="the ring", start=0, speaker="Cori Samuel",
                  gender="F",
                  custom={"text_punct": "The ring.", "split": "clean"},
                  facts={"text_punct": "The ring.", "split": "clean"})
    # Its recipe writes the supervisions into the file called recordings, and the other way round.
    yield Recipe("iwslt22-ta", [recording("20170606_103256_13188", "audio/20170606_103256_13188.wav", 9.0)],
                 [said("A_ta_en_0", "20170606_103256_13188", 1.0, 2.5, text="أهلا", language="ta", speaker="A",
                       custom={"translated_text": {"eng": "hello"}})], subset="train",
                       names=("supervisions", "recordings"),
                 facts={"translated_text": {"eng": "hello"}})
    yield Recipe("ksponspeech", [recording("KsponSpeech_000001", "KsponSpeech_01/KsponSpeech_000001.flac.wav")],
                 [said("KsponSpeech_000001", "KsponSpeech_000001", text="아 몬 소리야", language="Korean")], subset="train")
    yield Recipe("libricss-sdm",
                 [{**recording("OV10_session0", "libricss/record/raw_recording.wav", 9.0, 7), "channel_ids": [0]}],
                 [said("OV10_session0-0", "OV10_session0", 3.0, 2.5, 0, text="A B", language="English",
                       speaker="1089")])
    yield Recipe("libritts", [recording("84_121123_000007_000001", "train-clean-100/84/84_121123_000007_000001.wav")],
                 [said("84_121123_000007_000001", "84_121123_000007_000001", text="Maximilien.", language="English",
                       speaker="84",
                       gender="F", custom={"orig_text": "Maximilien"})], subset="train-clean-100",
                 facts={"orig_text": "Maximilien", "gender": "F"})
    yield Recipe("mdcc", [recording("447_1709011347_1_000", "audio/447_1709011347_1_000.wav")],
                 [said("447_1709011347_1_000", "447_1709011347_1_000", text="你好", gender="female", language="yue")],
                 subset="train", facts={"lang": "yue"})
    yield Recipe("mgb2", [recording("A1B2-C3", "wav/A1B2-C3.wav", 9.0)],
                 [said("A1B2_C3_utt_1_2.25:5.75", "A1B2-C3", 2.25, 3.5, text="نعم", language="Arabic", speaker=17)],
                 subset="train", facts={"speaker": "17"})
    yield english("mls-english", "4800_10003_000000", subset="train", speaker="4800", gender="M", text="oh my dear")
    yield Recipe("mtedx-es_es", [recording("-3Nd2NgHbDk", "es-es/data/train/wav/-3Nd2NgHbDk.wav", 9.0)],
                 [said("-3Nd2NgHbDk_0000123", "-3Nd2NgHbDk", 1.23, 4.56, text="gracias", language="es",
                       speaker="-3Nd2NgHbDk")],
                 subset="train")
    yield Recipe("musan", [recording("music-fma-0000", "musan/music/music-fma-0000.wav")],
                 [said("music-fma-0000", "music-fma-0000", 0, speaker="quiet_music",
                       custom={"genres": ["ambient", "x"], "vocals": False})],
                 subset="music", facts={"genres": ["ambient", "x"], "vocals": False}, options=["--allow-missing-text"])
    yield Recipe("nsc", [recording("000010001", "nsc/SPEAKER0001/000010001.wav")],
                 [said("000010001", "000010001", text="ah", language="Singaporean English", speaker="0001")],
                 subset="PART1_CHANNEL0", facts={"language": "Singaporean English"})
    yield english("peoples_speech", "p_1", subset="clean", custom={"session_id": "s1"}, facts={"session_id": "s1"})
    yield Recipe("reazonspeech", [recording("000/0000.wav", "data/000/0000.wav", 4.0)],
                 [said("000/0000.wav", "000/0000.wav", 0.0, 3.984, text="はい", language="Japanese")], subset="train")
    yield Recipe("sbcsae", [recording("SBC001", "WAV/SBC001.wav", 9.0, 2)],
                 [said("SBC001-0", "SBC001", 0.5, 2.5, [0, 1], text="so", language="English", speaker="LENORE",
                       gender="F")], subset="")
    yield english("spgispeech", "0018ad_1", subset="train", start=0, speaker="0018ad", text="good morning")
    yield english("speechcommandsv0.02", "bed_0a7c2a8d_nohash_0", subset="train", text="bed", speaker="0a7c2a8d")
    yield Recipe("swbd", [recording("sw02001", "swbd1/sw02001.wav", 9.0, 2)],
                 [said(f"sw2001{'AB'[channel]}-ms98-a-0002", "sw02001", 1.5, 2.5, channel, text="hi um",
                       language="English",
                       speaker=f"sw02001{'AB'[channel]}") for channel in (0, 1)])
    yield Recipe("tedlium", [recording("AaronHuey_2010X", "legacy/train/sph/AaronHuey_2010X.wav", 9.0)],
                 [said("AaronHuey_2010X-0", "AaronHuey_2010X", 1.0, 3.25, text="i 'm here", language="English",
                       speaker="AaronHuey_2010X")], subset="train")
    yield english("timit", "DR1-FCJF0-SA1", subset="TRAIN", speaker="FCJF0", gender="female",
                  alignment={"word": words, "phone": words}, facts={"alignment": NOTHING})
    yield english("vctk", "p225_001_mic1", start=0, speaker="p225", gender="F",
                  custom={"accent": "English", "age": 23, "region": "Southern England"}, facts={"age": 23})
    yield Recipe("voxceleb", [recording("id10270-5r0dWxy17C8-00001", "wav/id10270/5r0dWxy17C8/00001.wav")],
                 [said("id10270-5r0dWxy17C8-00001", "id10270-5r0dWxy17C8-00001", speaker="id10270", gender="m",
                       custom={"speaker_name": "Eartha", "nationality": "USA", "split": "test"})], subset="test",
                 facts={"speaker": "id10270", "nationality": "USA"}, options=["--allow-missing-text"])
    yield Recipe("voxpopuli-asr-en", [recording("20180131-0900-PLENARY-15-en", "raw/en/20180131.wav", 9.0)],
                 [said("20180131-0900-PLENARY-15-en-0", "20180131-0900-PLENARY-15-en", 2.5, 4.125, text="thank you",
                       language="en",
                       speaker="124706", gender="male", custom={"orig_text": "Thank you."})], subset="train",
                 facts={"orig_text": "Thank you."})
    yield Recipe("wenetspeech",
                 [recording("Y0000000000_--5llN02F84", "audio/train/youtube/Y0000000000_--5llN02F84.opus.wav", 9.0)],
                 [said("Y0000000000_--5llN02F84_S00000", "Y0000000000_--5llN02F84", 4.08, 1.31, text="怎么样",
                       language="Chinese")],
                 subset="L")
    yield chinese("wenetspeech4tts", "X0000001735_135343932_S00170", "", subset="Premium",
                  more={"custom": {"timestamp": "[[0.0, 1.2]]", "dns_mos": 4.1}})
    yield Recipe("yesno", [recording("0_0_0_0_1_1_1_1", "waves_yesno/0_0_0_0_1_1_1_1.wav")],
                 [said("0_0_0_0_1_1_1_1", "0_0_0_0_1_1_1_1", text="NO NO NO NO YES", language="Hebrew")],
                 subset="train")
