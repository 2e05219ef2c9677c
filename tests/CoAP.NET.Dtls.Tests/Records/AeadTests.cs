using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Tests.Records;

/// <summary>Sealing with raw keys gives what .NET's own ciphers give.</summary>
public sealed class AeadTests
{
    public static TheoryData<string> Suites => [.. CipherSuite.All.Select(suite => suite.Name)];

    [Theory]
    [MemberData(nameof(Suites))]
    public void The_AEAD_output_equals_that_of_NET(string name)
    {
        CipherSuite suite = CipherSuite.All.Single(suite => suite.Name == name);
        IDisposable? sealing = null;
        IDisposable? opening = null;
        foreach (int length in (int[])[0, 1, 15, 16, 17, 64, 1_200])
        {
            (byte[] key, byte[] nonce, byte[] associated, byte[] plain) =
                (Bytes(suite.KeyLength, 1), Bytes(12, 2), Bytes(13, 3), Bytes(length, 4));
            byte[] expected = new byte[length];
            byte[] expectedTag = new byte[suite.TagLength];
            if (suite.Mode == AeadMode.Gcm)
            {
                using AesGcm cipher = new(key, suite.TagLength);
                cipher.Encrypt(nonce, plain, expected, expectedTag, associated);
            }
            else
            {
                using AesCcm cipher = new(key);
                cipher.Encrypt(nonce, plain, expected, expectedTag, associated);
            }

            byte[] content = [.. plain];
            byte[] tag = new byte[suite.TagLength];
            Aead.Seal(suite, ref sealing, key, nonce, associated, content, tag);
            Assert.Equal(expected, content);
            Assert.Equal(expectedTag, tag);
            Assert.True(Aead.TryOpen(suite, ref opening, key, nonce, associated, content, tag));
            Assert.Equal(plain, content);
        }
    }

    [Theory]
    [MemberData(nameof(Suites))]
    public void Modified_data_is_not_decrypted_and_the_original_is_decrypted_afterwards(string name)
    {
        CipherSuite suite = CipherSuite.All.Single(suite => suite.Name == name);
        IDisposable? sealing = null;
        IDisposable? opening = null;
        (byte[] key, byte[] nonce, byte[] associated) = (Bytes(suite.KeyLength, 1), Bytes(12, 2), Bytes(13, 3));
        byte[] content = Bytes(20, 4);
        byte[] tag = new byte[suite.TagLength];
        Aead.Seal(suite, ref sealing, key, nonce, associated, content, tag);
        for (int bit = 0; bit < 8 * (content.Length + tag.Length); bit++)
        {
            byte[] forged = [.. content, .. tag];
            forged[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(Aead.TryOpen(
                suite, ref opening, key, nonce, associated, forged.AsSpan(0, content.Length), forged.AsSpan(content.Length)));
        }

        Assert.False(Aead.TryOpen(suite, ref opening, key, nonce, [], [.. content], tag));
        Assert.True(Aead.TryOpen(suite, ref opening, key, nonce, associated, content, tag));
        Assert.Equal(Bytes(20, 4), content);
    }

    [Fact]
    public void Keys_are_expanded_as_specified_by_TLS_1_2()
    {
        // The test vector that implementers of TLS 1.2 agreed on for P_SHA256.
        byte[] output = new byte[100];
        Prf.Expand(PrfHash.Sha256, Convert.FromHexString("9bbe436ba940f017b17652849a71db35"), "test label"u8,
            Convert.FromHexString("a0ba9f936cda311827a6f796ffd5198c"), output);
        Assert.Equal(
            "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66",
            Convert.ToHexStringLower(output));

        // The one for P_SHA384.
        output = new byte[148];
        Prf.Expand(PrfHash.Sha384, Convert.FromHexString("b80b733d6ceefcdc71566ea48e5567df"), "test label"u8,
            Convert.FromHexString("cd665cf6a8447dd6ff8b27555edb7465"), output);
        Assert.Equal(
            "7b0c18e9ced410ed1804f2cfa34a336a1c14dffb4900bb5fd7942107e81c83cde9ca0faa60be9fe34f82b1233c9146a0e534cb400fed2700884f9dc236f80edd8bfa961144c9e8d792eca722a7b32fc3d416d473ebc2c5fd4abfdad05d9184259b5bf8cd4d90fa0d31e2dec479e4f1a26066f2eea9a69236a3e52655c9e9aee691c8f3a26854308d5eaa3be85e0990703d73e56f",
            Convert.ToHexStringLower(output));
    }

    private static byte[] Bytes(int length, byte first) => [.. Enumerable.Range(0, length).Select(i => (byte)(first + (7 * i)))];
}
