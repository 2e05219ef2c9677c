namespace CoAP.NET.Tests.Serialization;

// Whole datagrams: id, bytes, what they say.
internal static partial class Vectors
{
    /// <summary>The figures of RFC 7252 appendix A.</summary>
    public static TheoryData<string, string, string> AppendixA { get; } = new()
    {
        { "A16q", "40017d34bb74656d7065726174757265", "CON 0.01 7d34 - 11'temperature'" },
        { "A16r", "60457d34ff32322e332043", "ACK 2.05 7d34 - |'22.3 C'" },
        { "A17q", "41017d3520bb74656d7065726174757265", "CON 0.01 7d35 20 11'temperature'" },
        { "A17r", "61457d3520ff32322e332043", "ACK 2.05 7d35 20 |'22.3 C'" },
        { "A18q", "41017d3631bb74656d7065726174757265", "CON 0.01 7d36 31 11'temperature'" },
        { "A18r", "61457d3631ff32322e332043", "ACK 2.05 7d36 31 |'22.3 C'" },
        { "A19q", "41017d3742bb74656d7065726174757265", "CON 0.01 7d37 42 11'temperature'" },
        { "A19r", "61457d3742ff32322e332043", "ACK 2.05 7d37 42 |'22.3 C'" },
        { "A20a", "41017d3853bb74656d7065726174757265", "CON 0.01 7d38 53 11'temperature'" },
        { "A20b", "60007d38", "ACK 0.00 7d38 -" },
        { "A20c", "4145ad7b53ff32322e332043", "CON 2.05 ad7b 53 |'22.3 C'" },
        { "A20d", "6000ad7b", "ACK 0.00 ad7b -" },
        { "A21a", "41017d3964bb74656d7065726174757265", "CON 0.01 7d39 64 11'temperature'" },
        { "A21b", "60007d39", "ACK 0.00 7d39 -" },
        { "A21c", "4145ad7c64ff32322e332043", "CON 2.05 ad7c 64 |'22.3 C'" },
        { "A21d", "7000ad7c", "RST 0.00 ad7c -" },
        { "A22q", "51017d4075bb74656d7065726174757265", "NON 0.01 7d40 75 11'temperature'" },
        { "A22r", "5145ad7d75ff32322e332043", "NON 2.05 ad7d 75 |'22.3 C'" },
        { "A23q", "51017d4186bb74656d7065726174757265", "NON 0.01 7d41 86 11'temperature'" },
        { "A23a", "514560b186ff32322e332043", "NON 2.05 60b1 86 |'22.3 C'" },
        { "A23b", "514501a086ff32302e392043", "NON 2.05 01a0 86 |'20.9 C'" },
        { "A23c", "5184952a86", "NON 4.04 952a 86" },
    };

    /// <summary>
    /// RFC 9175 figure 1, RFC 9177 4.08 payloads, RFC 7959 figure 12, and messages that look odd but have no format error.
    /// </summary>
    public static TheoryData<string, string, string> MoreDatagrams { get; } = new()
    {
        { "EC-1", "6181000141dcef00000009437468756c687521", "ACK 4.01 0001 41 252:00000009437468756c687521" },
        { "EC-2", "4103000242b46c6f636bdce400000009437468756c687521ff30", "CON 0.03 0002 42 11'lock' 252:00000009437468756c687521 |'0'" },
        { "QB-2", "5188000309c20110ff01051818190100", "NON 4.08 0003 09 12:0110 |01051818190100" },
        { "Fig12-get", "41011636fb605b7374617475732d69636f6e", "CON 0.01 1636 fb 6: 11'status-icon'" },
        { "Fig12-ack", "61451636fb446f00f38e22f38ed1040b", "ACK 2.05 1636 fb 4:6f00f38e 6:f38e 23:0b" },
        { "Fig12-con", "4145af9cfb446f00f39222f392d1040b", "CON 2.05 af9c fb 4:6f00f392 6:f392 23:0b" },
        { "Fig12-next", "41011637fcbb7374617475732d69636f6ec113", "CON 0.01 1637 fc 11'status-icon' 23:13" },
        { "BAD-03", "49017d34aaaaaaaaaaaaaaaaaa", "CON 0.01 7d34 aaaaaaaaaaaaaaaaaa" },
        { "BAD-20", "50007d34", "NON 0.00 7d34 -" },
        { "BAD-21", "40007d34", "CON 0.00 7d34 -" },
        { "BAD-17b", "60017d34", "ACK 0.01 7d34 -" },
        { "BAD-18a", "70457d34", "RST 2.05 7d34 -" },
        { "BAD-24", "41457d3499ff31", "CON 2.05 7d34 99 |31" },
        { "BAD-28", "401f7d34", "CON 0.31 7d34 -" },
        { "BAD-29", "40017d34e02602", "CON 0.01 7d34 - 9999:" },
        { "BAD-30", "40017d34e1260178", "CON 0.01 7d34 - 9998:78" },
        { "BAD-34", "40017d34d0040132", "CON 0.01 7d34 - 17: 17:32" },
        { "BAD-35", "40037d34c00132ff78", "CON 0.03 7d34 - 12: 12:32 |78" },
        { "BAD-36", "40037d345101ff78", "CON 0.03 7d34 - 5:01 |78" },
        { "BAD-37a", "40017d3440", "CON 0.01 7d34 - 4:" },
        { "BAD-39", "40017d34b1ff", "CON 0.01 7d34 - 11:ff" },
    };

    /// <summary>RFC 8974: each length of a token at which its coding changes.</summary>
    public static TheoryData<string, string, string> ExtendedTokenDatagrams { get; } = ExtendedTokens("40017d34", "CON 0.01 7d34 ");

    public static TheoryData<string, string, string> Datagrams => Join(AppendixA, MoreDatagrams, ExtendedTokenDatagrams, Captures);

    /// <summary>The bytes of all valid datagrams but those with very long tokens.</summary>
    public static IEnumerable<byte[]> ValidDatagrams() => Bytes(Datagrams).Where(bytes => bytes.Length < 1000);

    public static IEnumerable<byte[]> Bytes(TheoryData<string, string, string> vectors) => vectors.Select(row => Wire.Hex(row.Data.Item2));

    private static TheoryData<string, string, string> Join(params TheoryData<string, string, string>[] parts)
    {
        TheoryData<string, string, string> all = [];
        foreach ((string text, string bytes, string meaning) in parts.SelectMany(part => part).Select(row => row.Data))
        {
            all.Add(text, bytes, meaning);
        }

        return all;
    }

    private static TheoryData<string, string, string> ExtendedTokens(string head, string text)
    {
        TheoryData<string, string, string> data = [];
        foreach ((int length, string field, string extension) in new[]
        {
            (0, "0", ""), (8, "8", ""), (9, "9", ""), (12, "c", ""), (13, "d", "00"), (14, "d", "01"), (268, "d", "ff"), (269, "e", "0000"),
            (65_804, "e", "ffff"),
        })
        {
            string token = Wire.Hex(Wire.Pattern(length));
            data.Add($"XT-{length}", head[..1] + field + head[2..] + extension + token, text + (length == 0 ? "-" : token));
        }

        return data;
    }
}
