using CoAP.NET.Edhoc.Keys;

namespace CoAP.NET.Edhoc.Tests.Keys;

/// <summary>Which bytes are private keys of NIST curves.</summary>
public sealed class NistPrivateKeyValidatorTests
{
    private const string N256 = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

    private const string N384 =
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973";

    [Theory]
    [InlineData(EdhocCurve.P256, N256)]
    [InlineData(EdhocCurve.P384, N384)]
    public void Only_scalars_from_1_to_the_order_minus_1_are_valid_private_keys(EdhocCurve curve, string order)
    {
        byte[] n = Convert.FromHexString(order);
        byte[] less = [.. n[..^1], (byte)(n[^1] - 1)];
        byte[] more = [.. n[..^1], (byte)(n[^1] + 1)];
        byte[] one = [.. new byte[n.Length - 1], 1];
        byte[] high = [1, .. new byte[n.Length - 1]];
        byte[] borrowed = [.. n[..^2], (byte)(n[^2] - 1), 0xff];

        Assert.All([one, high, less, borrowed], key => Assert.True(NistPrivateKeyValidator.IsScalar(curve, key), Convert.ToHexString(key)));
        Assert.All(
            [n, more, new byte[n.Length], [.. Enumerable.Repeat((byte)0xff, n.Length)], one[1..], [0, .. one]],
            key => Assert.False(NistPrivateKeyValidator.IsScalar(curve, key), Convert.ToHexString(key)));
    }
}
