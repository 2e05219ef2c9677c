namespace CoAP.NET.Dtls.Tests.Rules;

/// <summary>What RFC 9146 says of the inside of records with a Connection ID.</summary>
public sealed class RecordRuleTests
{
    private static readonly byte[] s_cid = [1, 2, 3, 4, 5, 6, 7, 8];

    [Theory]
    [InlineData("0102031700000000", "010203")]
    [InlineData("01020317", "010203")]
    [InlineData("000000170000", "000000")]
    [Rfc("9146-4-1")]
    public void Zeros_after_the_content_type_are_padding(string inner, string content)
    {
        Assert.Equal(RecordOpenResult.Opened, Open(inner, out ContentType type, out byte[] opened));
        Assert.Equal(ContentType.ApplicationData, type);
        Assert.Equal(content, Convert.ToHexString(opened));
    }

    [Theory]
    [InlineData("00")]
    [InlineData("0000000000000000")]
    [Rfc("9146-4-1")]
    public void A_record_without_a_content_type_is_dropped(string inner) =>
        Assert.Equal(RecordOpenResult.Foreign, Open(inner, out _, out _));

    // The last byte of what is sealed is the type that it is sealed as.
    private static RecordOpenResult Open(string inner, out ContentType type, out byte[] content)
    {
        byte[] keys = KeyBlock.Derive(CipherSuite.All[0], new byte[48], new byte[32], new byte[32]);
        RecordLayer client = new(CipherSuite.All[0], keys, isServer: false, [], s_cid);
        RecordLayer server = new(CipherSuite.All[0], keys, isServer: true, s_cid, []);
        byte[] bytes = Convert.FromHexString(inner);
        byte[] record = new byte[client.RecordLength(bytes.Length - 1)];
        Assert.Equal(record.Length, client.Seal((ContentType)bytes[^1], bytes.AsSpan(..^1), record));
        Assert.True(RecordHeader.TryRead(record, s_cid.Length, out RecordHeader header));
        RecordOpenResult result = server.Open(header, record, out type, out Range range, out _);
        content = result == RecordOpenResult.Opened ? record[range] : [];
        return result;
    }
}
