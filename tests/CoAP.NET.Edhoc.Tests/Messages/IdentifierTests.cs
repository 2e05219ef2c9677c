namespace CoAP.NET.Edhoc.Tests.Messages;

public sealed class IdentifierTests
{
    [Theory]
    [InlineData("21", "21")]
    [InlineData("18", "4118")]
    [InlineData("38", "4138")]
    [InlineData("37", "37")]
    [InlineData("17", "17")]
    [InlineData("00", "00")]
    [InlineData("1f", "411f")]
    [InlineData("abcd", "42abcd")]
    [InlineData("", "40")]
    [Rfc("9528-3.3.2-1")]
    public void Identifiers_that_are_one_byte_CBOR_integers_are_encoded_as_integers(string identifier, string encoded)
    {
        byte[] bytes = Convert.FromHexString(identifier);
        byte[] written = Identifiers.Item(bytes);
        Assert.Equal(encoded, Convert.ToHexStringLower(written));
        SequenceReader reader = new(written, "It");
        Assert.Equal(bytes, reader.ReadIdentifier("an identifier"));
        Assert.True(reader.IsAtEnd);
    }

    [Theory]
    [Rfc("9528-3.3.2-1", "9528-A.2-2")]
    [InlineData("4121")]
    [InlineData("1818")]
    [InlineData("581821")]
    [InlineData("61aa")]
    [InlineData("43aabb")]
    [InlineData("")]
    public void Other_encodings_of_identifiers_are_refused(string encoded) => Assert.Throws<EdhocException>(() =>
    {
        SequenceReader reader = new(Convert.FromHexString(encoded), "It");
        reader.ReadIdentifier("an identifier");
    });
}
