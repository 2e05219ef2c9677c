namespace CoAP.NET.Tests.Serialization;

// Messages of RFC 8323: id, bytes, what they say.
internal static partial class Vectors
{
    public static TheoryData<string, string, string> StreamMessages { get; } = new()
    {
        { "TM-01", "01437f", "2.03 7f" },
        { "TM-02", "0000", "0.00 -" },
        { "TM-03", "c1017fbb74656d7065726174757265", "0.01 7f 11'temperature'" },
        { "TM-04", "71457fff32322e332043", "2.05 7f |'22.3 C'" },
        { "TM-05", "00e1", "7.01 -" },
        { "TM-06", "30e1220480", "7.01 - 2:0480" },
        { "TM-07", "40e122048020", "7.01 - 2:0480 4:" },
        { "TM-08", "50e12301000020", "7.01 - 2:010000 4:" },
        { "TM-09", "50e12380010020", "7.01 - 2:800100 4:" },
        { "TM-10", "40e16301010c", "7.01 - 6:01010c" },
        { "TM-11", "70e123010000202120", "7.01 - 2:010000 4: 6:20" },
        { "TM-12", "10e1a0", "7.01 - 10:" },
        { "TM-13", "10e190", "7.01 - 9:" },
        { "TM-14", "01e242", "7.02 42" },
        { "TM-15", "01e342", "7.03 42" },
        { "TM-16", "11e24220", "7.02 42 2:" },
        { "TM-17", "11e34220", "7.03 42 2:" },
        { "TM-18", "00e4", "7.04 -" },
        { "TM-19", "d007e42d036578616d706c652e6f72673a35363833213c", "7.04 - 2'example.org:5683' 4:3c" },
        { "TM-20", "80e423613a3103623a32", "7.04 - 2'a:1' 2'b:2'" },
        { "TM-21", "00e5", "7.05 -" },
        { "TM-22", "60e52109ff626164", "7.05 - 2:09 |'bad'" },
        { "TM-23", "01a101", "5.01 01" },
        { "TM-24", "51011060536f6273", "0.01 10 6: 11'obs'" },
        { "TM-25", "31451060ff31", "2.05 10 6: |'1'" },
        { "TM-26", "6101106101536f6273", "0.01 10 6:01 11'obs'" },
    };

    public static TheoryData<string, string, string> WebSocketMessages { get; } = new()
    {
        { "TW-01", "00e122048020", "7.01 - 2:0480 4:" },
        { "TW-02", "010153b773656e736f72730b74656d706572617475726545753d43656c", "0.01 53 11'sensors' 11'temperature' 15'u=Cel'" },
        { "TW-03", "014553ff32322e332043656c", "2.05 53 |'22.3 Cel'" },
        { "TW-04", "01017ddd1608636f61703a2f2f5b323030313a6462383a3a315d2f", "0.01 7d 35'coap://[2001:db8::1]/'" },
        { "TW-05", "01e242", "7.02 42" },
    };

    /// <summary>RFC 8974: each length of a token at which its coding changes.</summary>
    public static TheoryData<string, string, string> ExtendedTokenFrames { get; } = ExtendedTokens("0001", "0.01 ");

    public static TheoryData<string, string, string> Frames => Join(StreamMessages, ExtendedTokenFrames);
}
