using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Tests.Contexts;

public sealed class ParametersTests
{
    private static readonly byte[] s_secret = Convert.FromHexString("0102030405060708090a0b0c0d0e0f10");

    public static TheoryData<int, int, int, int, int> Table => new()
    {
        { 10, 16, 13, 8, 7 },
        { 11, 32, 13, 8, 7 },
        { 12, 16, 7, 8, 1 },
        { 13, 32, 7, 8, 1 },
        { 30, 16, 13, 16, 7 },
        { 31, 32, 13, 16, 7 },
        { 32, 16, 7, 16, 1 },
        { 33, 32, 7, 16, 1 },
        { 1, 16, 12, 16, 6 },
        { 2, 24, 12, 16, 6 },
        { 3, 32, 12, 16, 6 },
        { 24, 32, 12, 16, 6 },
    };

    [Theory]
    [MemberData(nameof(Table))]
    public void Algorithms_have_the_lengths_of_the_registry(int number, int key, int nonce, int tag, int id)
    {
        OscoreAlgorithm algorithm = Assert.Single(OscoreAlgorithm.All, a => a.CoseNumber == number);

        Assert.Same(algorithm, OscoreAlgorithm.Find(number));
        Assert.Same(algorithm, OscoreAlgorithm.Find(algorithm.Name));
        Assert.Equal((key, nonce, tag, id), (algorithm.KeyLength, algorithm.NonceLength, algorithm.TagLength, algorithm.MaxIdLength));
    }

    [Fact]
    public void Unknown_algorithms_are_not_found()
    {
        Assert.Null(OscoreAlgorithm.Find(4));
        Assert.Null(OscoreAlgorithm.Find("A128CTR"));
        Assert.Null(OscoreHkdf.Find(-12));
        Assert.Same(OscoreHkdf.Sha512, OscoreHkdf.Find(-11));
    }

    [Fact]
    public void Keys_are_derived_by_HKDF_with_the_hash_of_the_parameters()
    {
        using OscoreParameters usual = new(s_secret, [], [1]);
        using OscoreParameters other = new(s_secret, [], [1]) { HkdfHash = HashAlgorithmName.SHA512 };

        Assert.Equal((HashAlgorithmName.SHA256, OscoreHkdf.Sha256), (usual.HkdfHash, usual.Hkdf));
        Assert.Equal((HashAlgorithmName.SHA512, OscoreHkdf.Sha512), (other.HkdfHash, other.Hkdf));
        Assert.Throws<ArgumentException>(() => new OscoreParameters(s_secret, [], [1]) { HkdfHash = HashAlgorithmName.MD5 });
    }

    [Fact]
    [Rfc("8613-3.2-1")]
    public void The_mandatory_algorithms_are_the_default()
    {
        using OscoreParameters parameters = new(s_secret, [], [1]);

        Assert.Equal(10, parameters.Algorithm.CoseNumber);
        Assert.Equal(-10, parameters.Hkdf.CoseNumber);
        Assert.Equal(64, parameters.WindowSize);
        Assert.Null(parameters.IdContext);
        Assert.True(parameters.MasterSalt.IsEmpty);
    }

    [Fact]
    public void Parameters_that_would_break_confidentiality_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new OscoreParameters([], [], [1]));
        Assert.Throws<ArgumentException>(() => new OscoreParameters(s_secret, [1], [1]));
        Assert.Throws<ArgumentException>(() => new OscoreParameters(s_secret, new byte[8], [1]));
        Assert.Throws<ArgumentException>(() => new OscoreParameters(s_secret, [1], new byte[2], OscoreAlgorithm.AesCcm64With64BitTag128));
        Assert.Throws<ArgumentException>(() => new OscoreParameters(s_secret, [], [1]) { IdContext = new byte[241] });
        Assert.Throws<ArgumentOutOfRangeException>(() => new OscoreParameters(s_secret, [], [1]) { WindowSize = 0 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new OscoreParameters(s_secret, [], [1]) { WindowSize = 4097 });
    }

    [Fact]
    public void Parameters_keep_copies_and_wipe_them()
    {
        byte[] secret = [.. s_secret];
        byte[] salt = [9, 9];
        OscoreParameters parameters = new(secret, [0], [1]) { MasterSalt = salt };
        secret[0] = 0xff;
        salt[0] = 0;

        Assert.Equal(s_secret, parameters.MasterSecret.ToArray());
        Assert.Equal([9, 9], parameters.MasterSalt.ToArray());

        ReadOnlyMemory<byte> keptSalt = parameters.MasterSalt;
        parameters.Dispose();

        Assert.Throws<ObjectDisposedException>(() => parameters.MasterSecret.Length);
        Assert.Equal([0, 0], keptSalt.ToArray());
    }

    [Fact]
    public void The_text_of_parameters_shows_no_secret()
    {
        using OscoreParameters parameters = new(s_secret, [], [1]) { MasterSalt = new byte[] { 0xab, 0xcd }, IdContext = [0x37] };

        Assert.Equal("sender (empty), recipient 01, ID Context 37, AES-CCM-16-64-128 (10)", parameters.ToString());
    }
}
