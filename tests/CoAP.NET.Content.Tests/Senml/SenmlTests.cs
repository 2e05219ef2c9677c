namespace CoAP.NET.Content.Tests.Senml;

/// <summary>SenML in JSON and CBOR (RFC 8428).</summary>
public sealed class SenmlTests
{
    // RFC 8428 section 6: the 195 bytes of the second example in section 5.1.2.
    private const string Cbor =
        "87a721781b75726e3a6465763a6f773a3130653230373361303130383030363a22fb41d303a15b00106223614120050067766f6c7461676501615602fb405e066666666666"
        + "a3006763757272656e74062402fb3ff3333333333333a3006763757272656e74062302fb3ff4cccccccccccda3006763757272656e74062202fb3ff6666666666666"
        + "a3006763757272656e74062102f93e00a3006763757272656e74062002fb3ff999999999999aa3006763757272656e74060002fb3ffb333333333333";

    private const string Currents =
        """
        [
          {"bn":"urn:dev:ow:10e2073a0108006:","bt":1.276020076001e+09,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},
          {"n":"current","t":-5,"v":1.2},
          {"n":"current","t":-4,"v":1.3},
          {"n":"current","t":-3,"v":1.4},
          {"n":"current","t":-2,"v":1.5},
          {"n":"current","t":-1,"v":1.6},
          {"n":"current","t":0,"v":1.7}
        ]
        """;

    private static readonly DateTimeOffset s_now = DateTimeOffset.FromUnixTimeSeconds(1_700_000_000);

    [Fact]
    [Rfc("8428-6-1", "8949-4.2-1")]
    public void The_CBOR_example_equals_the_JSON_example()
    {
        CoapSenmlPack pack = CoapSenmlPack.Parse(Wire.Hex(Cbor), CoapContentFormat.SenmlCbor);
        Assert.Equal(Text(Json(Currents)), Text(pack));
        Assert.Equal(7, pack.Count);
        Assert.Equal(5, pack[0].BaseVersion);
        Assert.Equal(1276020076.001, pack[0].BaseTime);

        // The same size; the order of the fields is the one of RFC 8949 section 4.2.1, which the RFC's example has not.
        byte[] written = pack.ToBytes(CoapContentFormat.SenmlCbor);
        Assert.Equal(195, written.Length);
        Wire.Hex(written).Begins("87a70067766f6c7461676501615602fb405e06666666666620052178");
        Assert.Equal(Text(pack), Text(CoapSenmlPack.Parse(written, CoapContentFormat.SenmlCbor)));
    }

    [Theory]
    [InlineData("SenmlJson")]
    [InlineData("SenmlCbor")]
    public void LwM2M_packs_are_read_and_written_with_their_profile(string format)
    {
        CoapContentFormat chosen = format == "SenmlJson" ? CoapContentFormat.SenmlJson : CoapContentFormat.SenmlCbor;
        CoapSenmlPack read = CoapSenmlPack.Parse(
            """[{"bn":"/3/0/","n":"0","vs":"Open Mobile Alliance"},{"n":"9","v":95},{"n":"22","vlo":"10:2"}]"""u8,
            CoapContentFormat.SenmlJson,
            profile: CoapSenmlProfile.Lwm2m);
        CoapSenmlPack again = CoapSenmlPack.Parse(read.ToBytes(chosen), chosen, profile: CoapSenmlProfile.Lwm2m);
        CoapSenmlPack resolved = again.Resolve(s_now);

        Assert.Equal(["/3/0/0", "/3/0/9", "/3/0/22"], resolved.Select(record => record.Name));
        Assert.Equal("10:2", resolved[2].ObjectLinkValue);
        Assert.Equal(CoapSenmlProfile.Lwm2m, resolved.Profile);
    }

    [Fact]
    public void Paths_without_values_form_an_LwM2M_pack()
    {
        CoapSenmlPack asked = new(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "/3/0/0" }, new CoapSenmlRecord { Name = "/3/0/9" });

        Assert.Equal("""[{"n":"/3/0/0"},{"n":"/3/0/9"}]""",
            Encoding.UTF8.GetString(asked.ToBytes(CoapContentFormat.SenmlJson)));
        Assert.Equal("82a100662f332f302f30a100662f332f302f39", Wire.Hex(asked.ToBytes(CoapContentFormat.SenmlCbor)));
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack(new CoapSenmlRecord { Name = "a" }));
    }

    [Fact]
    public void Object_links_in_CBOR_have_a_text_label_after_all_numeric_labels()
    {
        CoapSenmlPack pack = new(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { BaseName = "/1/", Name = "0", ObjectLinkValue = "1:0" });

        Assert.Equal("81a3006130" + "21632f312f" + "63766c6f63313a30", Wire.Hex(pack.ToBytes(CoapContentFormat.SenmlCbor)));
    }

    [Theory]
    [InlineData("""[{"n":"/3/0/0","v":1}]""", "Lwm2m")]
    [InlineData("""[{"n":"a"}]""", "value")]
    public void LwM2M_packs_are_refused_without_the_profile(string json, string says)
    {
        Assert.False(CoapSenmlPack.TryParse(
            Encoding.UTF8.GetBytes(json), CoapContentFormat.SenmlJson, out _, out CoapContentSyntaxError error));
        error.Message.Mentions(says);
    }

    [Fact]
    public void An_object_link_without_the_profile_is_an_unknown_field_and_not_a_value()
    {
        CoapSenmlPack pack = CoapSenmlPack.Parse("""[{"n":"a","v":1,"vlo":"1:0"}]"""u8, CoapContentFormat.SenmlJson);

        Assert.Null(pack[0].ObjectLinkValue);
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack(new CoapSenmlRecord { Name = "a", ObjectLinkValue = "1:0" }));
        Assert.Throws<ArgumentException>(
            () => new CoapSenmlPack(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "a", Value = 1, ObjectLinkValue = "1:0" }));
    }

    [Fact]
    [Rfc("8428-4.6-1", "8428-4.5.3-1")]
    public void Resolving_applies_base_fields_and_sorts_the_records_by_time()
    {
        CoapSenmlPack resolved = Json(Currents).Resolve(s_now);
        Assert.Equal([1.2, 1.3, 1.4, 1.5, 1.6, 120.1, 1.7], resolved.Select(record => record.Value!.Value));
        Assert.All(resolved, record => Assert.Equal(5, record.BaseVersion));
        Assert.Equal("urn:dev:ow:10e2073a0108006:current", resolved[0].Name);
        Assert.Equal(1276020071.001, resolved[0].Time!.Value, 6);
        Assert.Equal(["A", "A", "A", "A", "A", "V", "A"], resolved.Select(record => record.Unit));
        Assert.All(resolved, record => Assert.Null(record.BaseName ?? record.BaseUnit));
        Assert.All(resolved, record => Assert.Null(record.BaseTime));
        Assert.Equal(DateTimeOffset.Parse("2010-06-08T18:01:16.001Z", System.Globalization.CultureInfo.InvariantCulture),
            resolved[6].Timestamp!.Value, FromMilliseconds(1));
        Assert.Equal(Text(resolved), Text(resolved.Resolve(s_now.AddDays(1))));
    }

    [Fact]
    [Rfc("8428-4.6-1")]
    public void The_resolved_example_of_the_RFC_is_reproduced()
    {
        CoapSenmlPack pack = Json(
            """
            [
              {"bn":"urn:dev:ow:10e2073a01080063","bt":1.320067464e+09,"bu":"%RH","v":20},
              {"u":"lon","v":24.30621},
              {"u":"lat","v":60.07965},
              {"t":60,"v":20.3},
              {"u":"lon","t":60,"v":24.30622},
              {"u":"lat","t":60,"v":60.07965},
              {"u":"%EL","t":150,"v":98},
              {"t":180,"v":21.2}
            ]
            """);
        CoapSenmlPack expected = Json(
            """
            [
              {"n":"urn:dev:ow:10e2073a01080063","u":"%RH","t":1.320067464e+09,"v":20},
              {"n":"urn:dev:ow:10e2073a01080063","u":"lon","t":1.320067464e+09,"v":24.30621},
              {"n":"urn:dev:ow:10e2073a01080063","u":"lat","t":1.320067464e+09,"v":60.07965},
              {"n":"urn:dev:ow:10e2073a01080063","u":"%RH","t":1.320067524e+09,"v":20.3},
              {"n":"urn:dev:ow:10e2073a01080063","u":"lon","t":1.320067524e+09,"v":24.30622},
              {"n":"urn:dev:ow:10e2073a01080063","u":"lat","t":1.320067524e+09,"v":60.07965},
              {"n":"urn:dev:ow:10e2073a01080063","u":"%EL","t":1.320067614e+09,"v":98},
              {"n":"urn:dev:ow:10e2073a01080063","u":"%RH","t":1.320067644e+09,"v":21.2}
            ]
            """);
        Assert.Equal(Text(expected), Text(pack.Resolve(s_now)));
    }

    [Fact]
    public void A_base_name_applies_until_the_next_base_name_and_a_base_time_continues_to_apply()
    {
        CoapSenmlPack resolved = Json(
            """
            [
              {"bn":"2001:db8::2/","bt":1.320078429e+09,"n":"temperature","u":"Cel","v":25.2},
              {"n":"humidity","u":"%RH","v":30},
              {"bn":"2001:db8::1/","n":"temperature","u":"Cel","v":12.3},
              {"n":"humidity","u":"%RH","v":67}
            ]
            """).Resolve(s_now);
        Assert.Equal(["2001:db8::2/temperature", "2001:db8::2/humidity", "2001:db8::1/temperature", "2001:db8::1/humidity"],
            resolved.Select(record => record.Name));
        Assert.All(resolved, record => Assert.Equal(1320078429, record.Time));
    }

    [Fact]
    public void All_four_types_of_values_are_read()
    {
        const string Types =
            """[{"bn":"urn:dev:ow:10e2073a01080063:","n":"temp","u":"Cel","v":23.1},{"n":"label","vs":"Machine Room"},{"n":"open","vb":false},{"n":"nfc-reader","vd":"aGkgCg"}]""";
        CoapSenmlPack pack = Json(Types);
        Assert.Equal("hi \n", Encoding.UTF8.GetString(pack[3].DataValue!.Value.Span));
        Assert.Equal(Types, Text(pack));
        Assert.Equal(Types, Text(CoapSenmlPack.Parse(pack.ToBytes(CoapContentFormat.SenmlCbor), CoapContentFormat.SenmlCbor)));
        Assert.False(pack[2].BooleanValue);
        Assert.Equal("Machine Room", pack[1].StringValue);
    }

    [Fact]
    public void A_record_with_only_base_fields_is_not_a_measurement()
    {
        // RFC 8428 section 5.1.7
        CoapSenmlPack pack =
            Json("""[{"bn":"urn:dev:ow:10e2073a01080063:"},{"n":"temp","u":"Cel","v":23.1},{"n":"heat","u":"/","v":1},{"n":"fan","u":"/","v":0}]""");
        Assert.Equal(4, pack.Count);
        Assert.Equal(["temp", "heat", "fan"], pack.Resolve(s_now).Select(record => record.Name![^4..].TrimStart(':')));
    }

    [Fact]
    public void Base_values_and_sums_are_added()
    {
        CoapSenmlPack resolved = Json("""[{"bn":"a","bv":10,"bs":100,"v":1,"s":5},{"v":2},{"s":7},{"vs":"x"}]""").Resolve(s_now);
        Assert.Equal([11, 12, null, null], resolved.Select(record => record.Value));
        Assert.Equal([105, 100, 107, 100], resolved.Select(record => record.Sum));
    }

    [Fact]
    [Rfc("8428-4.5.3-1")]
    public void Times_below_2_to_the_28_are_relative_to_now()
    {
        CoapSenmlPack resolved =
            Json("""[{"n":"a","t":-5,"v":1},{"n":"a","v":2},{"n":"a","t":268435455,"v":3},{"n":"a","t":268435456,"v":4}]""").Resolve(s_now);
        Assert.Equal([268435456, 1699999995, 1700000000, 1968435455], resolved.Select(record => record.Time!.Value));
        Assert.Null(Json("""[{"n":"a","t":-5,"v":1}]""")[0].Timestamp);
        Assert.Null(Json("""[{"n":"a","t":1e300,"v":1}]""")[0].Timestamp);
    }

    [Theory]
    [Rfc("8428-4.2-1", "8428-4.4-1", "8428-4.4-2", "8428-4.5.1-1", "8428-5-1")]
    [InlineData("""[{"n":"a"}]""", 1)]
    [InlineData("""[{"n":"a","v":1,"vs":"x"}]""", 1)]
    [InlineData("""[{"n":"a","v":1},{"n":"b","vb":true,"vd":"AA"}]""", 17)]
    [InlineData("""[{"n":"a","v":1,"x_":1}]""", 16)]
    [InlineData("""[{"n":"a","v":1,"bver":11}]""", 1)]
    [InlineData("""[{"n":"a","v":1,"bver":0}]""", 16)]
    [InlineData("""[{"n":"a","v":1,"bver":1.5}]""", 16)]
    [InlineData("""[{"n":"a","v":1},{"n":"a","v":1,"bver":5}]""", 17)]
    [InlineData("""[{"n":"-a","v":1}]""", 1)]
    [InlineData("""[{"n":"a b","v":1}]""", 1)]
    [InlineData("""[{"bn":"a","n":"é","v":1}]""", 1)]
    [InlineData("""[{"v":1}]""", 1)]
    [InlineData("""[{"bn":":","n":"a","v":1}]""", 1)]
    [InlineData("""[{"n":"a","v":"1"}]""", 10)]
    [InlineData("""[{"n":"a","v":1e999}]""", 10)]
    [InlineData("""[{"n":"a","v":1.7e308,"bv":1.7e308}]""", 1)]
    [InlineData("""[{"n":"a","vb":1}]""", 10)]
    [InlineData("""[{"n":"a","vd":"AA=="}]""", 10)]
    [InlineData("""[{"n":"a","vd":"A A"}]""", 10)]
    [InlineData("""[{"n":"a","vd":"A"}]""", 10)]
    [InlineData("""[{"n":"a","vd":"+/+/"}]""", 10)]
    [InlineData("""[{"n":"a","vs":1}]""", 10)]
    [InlineData("""[{"n":"a","n":"b","v":1}]""", 10)]
    [InlineData("""[{"n":"a","v":1,"x":1,"x":2}]""", 22)]
    [InlineData("""[{},{"n":"a","v":1}]""", 1)]
    [InlineData("[]", 0)]
    [InlineData("{}", 0)]
    [InlineData("[1]", 1)]
    [InlineData("", 0)]
    [InlineData("[", 1)]
    [InlineData("""[{"n":"a","v":NaN}]""", 14)]
    [InlineData("""[{"n":"a","v":1}] x""", 18)]
    [InlineData("""[{"n":"a","vs":"\ud800"}]""", 15)]
    public void A_pack_that_violates_a_rule_is_refused_with_the_offset(string json, int offset)
    {
        Assert.False(CoapSenmlPack.TryParse(Encoding.UTF8.GetBytes(json), CoapContentFormat.SenmlJson, out CoapSenmlPack? pack,
            out CoapContentSyntaxError error));
        Assert.Null(pack);
        Assert.NotEmpty(error.Message);
        Assert.Equal(offset, error.Offset);
        CoapFormatException exception =
            Assert.Throws<CoapFormatException>(() => CoapSenmlPack.Parse(Encoding.UTF8.GetBytes(json), CoapContentFormat.SenmlJson));
        Assert.Equal(offset, exception.Position);
    }

    [Theory]
    [Rfc("8428-4.2-1", "8428-4.4-1")]
    [InlineData("""[{"n":"a","s":1}]""")]
    [InlineData("""[{"n":"a","s":1,"v":2}]""")]
    [InlineData("""[{"n":"a","v":1,"x":{"deep":[1,2]}}]""")]
    [InlineData("""[{"n":"a","v":1,"bver":10},{"n":"b","v":1}]""")]
    [InlineData("""[{"n":"a","v":1},{"n":"b","v":1,"bver":10}]""")]
    [InlineData("""[{"n":"0-:./_z","v":-1.5e-7}]""")]
    [InlineData(""" [ {"n":"a","vs":"ü\u00e9😀"} ] """)]
    public void Valid_packs_are_read(string json)
    {
        CoapSenmlPack pack = Json(json);
        Assert.Equal(Text(pack), Text(CoapSenmlPack.Parse(pack.ToBytes(CoapContentFormat.SenmlCbor), CoapContentFormat.SenmlCbor)));
    }

    [Theory]
    [Rfc("8428-6-1", "8949-5.6-1", "8949-5.3-1", "8428-4.4-1")]
    [InlineData("81a200616102", 6)] // ends too early
    [InlineData("81a20061610201ff", 7)] // more follows
    [InlineData("81a30061610201006162", 7)] // n twice
    [InlineData("81a300616102016278 5f01", 7)] // "x_"
    [InlineData("81a30061610201200b", 1)] // bver 11
    [InlineData("81a30061610201 2000", 8)] // bver 0
    [InlineData("81a300616102012020", 8)] // bver -1
    [InlineData("81a20061610261 31", 6)] // v is text
    [InlineData("81a2006161 02f97e00", 6)] // not a number
    [InlineData("81a200616102c4821a7fffffff01", 6)] // 1 * 10^2147483647
    [InlineData("81a2006161 0800", 6)] // vd is no byte string
    [InlineData("81a2006161 0400", 6)] // vb is no boolean
    [InlineData("81a2f6616102 01", 2)] // null as a label
    [InlineData("81a20061ff0201", 3)] // no UTF-8
    [InlineData("80", 0)]
    [InlineData("a0", 0)]
    [InlineData("8100", 1)]
    [InlineData("", 0)]
    public void CBOR_that_is_not_SenML_is_refused_and_the_error_names_the_offset(string hex, int offset)
    {
        Assert.False(CoapSenmlPack.TryParse(Wire.Hex(hex), CoapContentFormat.SenmlCbor, out _, out CoapContentSyntaxError error));
        Assert.Equal(offset, error.Offset);
        Assert.NotEmpty(error.Message);
    }

    [Theory]
    [Rfc("8428-6-1")]
    [InlineData("81a20061610201", "1")]
    [InlineData("9fbf0061610201ffff", "1")]
    [InlineData("81a20061610 2fa3f800000", "1")]
    [InlineData("81a2006161 02c48221196ab3", "273.15")]
    [InlineData("81a2616e6161617601", "1")] // labels spelled out
    [InlineData("81a4006161020118630 5617881f6", "1")] // unknown labels 99 and "x"
    public void SenML_in_CBOR_forms_other_than_the_shortest_is_read(string hex, string value)
    {
        CoapSenmlPack pack = CoapSenmlPack.Parse(Wire.Hex(hex), CoapContentFormat.SenmlCbor);
        Assert.Equal($$"""[{"n":"a","v":{{value}}}]""", Text(pack));
    }

    [Fact]
    public void Created_packs_are_checked_by_the_same_rules()
    {
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack());
        Assert.Contains("Record 1",
            Assert.Throws<ArgumentException>(() =>
                new CoapSenmlPack(new CoapSenmlRecord { Name = "a", Value = 1 }, new CoapSenmlRecord { Name = "b" })).Message,
            Ordinal);
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack(new CoapSenmlRecord { Name = "a", Value = double.NaN }));
        Assert.Throws<ArgumentException>(
            () => new CoapSenmlPack(new CoapSenmlRecord { Name = "a", UpdateTime = double.PositiveInfinity, Value = 1 }));
        CoapSenmlPack pack = new(new CoapSenmlRecord { Name = "a", Value = 1 });
        Assert.Throws<ArgumentException>(() => pack.ToBytes(CoapContentFormat.Json));
        Assert.Throws<ArgumentException>(() => CoapSenmlPack.Parse([], CoapContentFormat.SenmlXml));
    }

    [Fact]
    public void The_number_of_records_is_limited()
    {
        byte[] json = Encoding.UTF8.GetBytes($"[{string.Join(',', Enumerable.Repeat("""{"n":"a","v":1}""", 11))}]");
        byte[] cbor = CoapSenmlPack.Parse(json, CoapContentFormat.SenmlJson).ToBytes(CoapContentFormat.SenmlCbor);
        Assert.False(CoapSenmlPack.TryParse(json, CoapContentFormat.SenmlJson, out _, out _, maxRecords: 10));
        Assert.False(CoapSenmlPack.TryParse(cbor, CoapContentFormat.SenmlCbor, out _, out _, maxRecords: 10));
        Assert.True(CoapSenmlPack.TryParse(cbor, CoapContentFormat.SenmlCbor, out _, out _, maxRecords: 11));
    }

    private static CoapSenmlPack Json(string json) => CoapSenmlPack.Parse(Encoding.UTF8.GetBytes(json), CoapContentFormat.SenmlJson);

    private static string Text(CoapSenmlPack pack) => Encoding.UTF8.GetString(pack.ToBytes(CoapContentFormat.SenmlJson));
}
