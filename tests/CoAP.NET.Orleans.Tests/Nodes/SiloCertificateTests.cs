using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Orleans.Nodes;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>Which silos a silo accepts, during each step in which an operator replaces the secret.</summary>
public sealed class SiloCertificateTests
{
    private const int Old = 1;
    private const int New = 2;
    private const int Other = 3;

    [Theory]
    [InlineData(new[] { Old }, new[] { Old }, true)]
    [InlineData(new[] { Old }, new[] { New, Old }, true)]
    [InlineData(new[] { New, Old }, new[] { New, Old }, true)]
    [InlineData(new[] { New, Old }, new[] { New }, true)]
    [InlineData(new[] { New }, new[] { New }, true)]
    [InlineData(new[] { Old }, new[] { New }, false)]
    [InlineData(new[] { Old }, new[] { Other }, false)]
    [InlineData(new[] { New, Old }, new[] { Other }, false)]
    [InlineData(new[] { New, Old }, new[] { Other, 4 }, false)]
    public void Two_silos_accept_each_other_if_they_have_a_secret_in_common(int[] one, int[] two, bool isAccepted)
    {
        using SiloCertificate first = Make(one);
        using SiloCertificate second = Make(two);

        Assert.Equal(isAccepted, first.Accepts(second.Certificate));
        Assert.Equal(isAccepted, second.Accepts(first.Certificate));
    }

    [Fact]
    public void A_certificate_with_the_same_names_and_another_key_is_refused()
    {
        using SiloCertificate silo = Make(New, Old);
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(silo.Certificate.SubjectName, key, HashAlgorithmName.SHA256);
        using X509Certificate2 forged = request.Create(silo.Certificate.IssuerName, X509SignatureGenerator.CreateForECDsa(key),
            silo.Certificate.NotBefore, silo.Certificate.NotAfter, silo.Certificate.SerialNumberBytes.Span);

        Assert.False(silo.Accepts(forged));
    }

    [Fact]
    public void A_secret_gives_the_same_key_after_each_restart()
    {
        using SiloCertificate silo = Make(Old);
        using SiloCertificate restarted = Make(Old);

        // Of HKDF and P-256 as others implement them.
        Assert.Equal(
            "04BAF2728974CB5F98FA36680287CA62B8D3A63DD0DA4149870EEB3C891D8B5A21"
                + "5C75B8A570FEDCE19A70019BD844E16C668CBDB2C2F69539EBD196C39A5BC905",
            Convert.ToHexString(silo.Certificate.PublicKey.EncodedKeyValue.RawData));
        Assert.Equal(silo.Certificate.GetPublicKey(), restarted.Certificate.GetPublicKey());
    }

    private static SiloCertificate Make(params int[] secrets) =>
        new([.. secrets.Select(secret => (ReadOnlyMemory<byte>)Enumerable.Repeat((byte)secret, 32).ToArray())]);
}
