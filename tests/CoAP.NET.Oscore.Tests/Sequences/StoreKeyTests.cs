using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Tests.Sequences;

public sealed class StoreKeyTests
{
    [Fact]
    [Rfc("8613-3.3-1")]
    public void The_store_key_depends_on_exactly_the_inputs_of_the_sender_key()
    {
        OscoreStoreKey key = Of();
        Assert.Equal(key, Of());
        Assert.Equal(key, Of(recipient: [9]));
        Assert.Equal(key, new OscoreStoreKey(key.Bytes.Span));
        OscoreStoreKey[] others =
        [
            Of(secret: 2),
            Of(salt: [1]),
            Of(sender: []),
            Of(sender: [0, 1]),
            Of(context: []),
            Of(context: [1]),
            Of(algorithm: OscoreAlgorithm.AesCcm16With64BitTag256),
            Of(hkdf: OscoreHkdf.Sha512),
        ];
        Assert.Equal(others.Length, others.Append(key).Distinct().Count() - 1);
    }

    [Fact]
    public void Store_keys_are_equal_by_their_bytes()
    {
        OscoreStoreKey key = Of();
        Assert.Equal(Convert.ToHexStringLower(key.Bytes.Span), key.ToString());
        Assert.Equal(64, key.ToString().Length);
        Assert.True(key == Of() && key != default && default(OscoreStoreKey) == new OscoreStoreKey(new byte[32]));
        Assert.Throws<ArgumentException>(() => new OscoreStoreKey(new byte[31]));
    }

    private static OscoreStoreKey Of(byte secret = 1, byte[]? salt = null, byte[]? sender = null, byte[]? recipient = null,
        byte[]? context = null, OscoreAlgorithm? algorithm = null, OscoreHkdf? hkdf = null)
    {
        using OscoreParameters parameters = new([secret, 2, 3], sender ?? [1], recipient ?? [2], algorithm)
        {
            MasterSalt = salt,
            IdContext = context,
            Hkdf = hkdf ?? OscoreHkdf.Sha256,
        };
        return OscoreStoreKey.Of(parameters);
    }
}
