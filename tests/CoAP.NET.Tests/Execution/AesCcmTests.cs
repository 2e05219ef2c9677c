using System.Runtime.Intrinsics;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Tests.Execution;

/// <summary>AES-CCM is the same by all means: instructions of the processor, the platform's AES-CCM, and its single blocks.</summary>
public sealed class AesCcmTests
{
    /// <summary>The means of this machine for keys of 128 bits.</summary>
    public static TheoryData<string> Means =>
    [
        .. ProcessorAesCcm.IsSupported ? (string[])[nameof(AesCcmImplementation.Processor)] : [],
        .. AesCcm.IsSupported ? (string[])[nameof(AesCcmImplementation.Platform)] : [],
        nameof(AesCcmImplementation.Blocks),
    ];

    // FIPS 197 appendix B.
    [Fact]
    public void AES_blocks_match_FIPS_197()
    {
        byte[] key = Convert.FromHexString("2b7e151628aed2a6abf7158809cf4f3c");
        Vector128<byte> block = Vector128.Create(
            Convert.FromHexString("3243f6a8885a308d313198a2e0370734").AsSpan());
        Vector128<byte> expected = Vector128.Create(
            Convert.FromHexString("3925841d02dc09fbdc118597196a0b32").AsSpan());

        using PlatformAes platform = new(key);
        Assert.Equal(expected, platform.Encrypt(block));
        if (ProcessorAes.IsSupported)
        {
            Assert.Equal(expected, new ProcessorAes(key).Encrypt(block));
        }
    }

    // Packet vectors 1 to 3, 7 and 13 of RFC 3610 section 8, which differ in the lengths of plaintext and tag.
    [Theory]
    [MemberData(nameof(Means))]
    public void AES_CCM_matches_the_vectors_of_RFC_3610(string means)
    {
        const string Key = "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf";
        Check(Key, "00000003020100a0a1a2a3a4a5", "0001020304050607", "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
            "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384", "17e8d12cfdf926e0");
        Check(Key, "00000004030201a0a1a2a3a4a5", "0001020304050607", "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b", "a091d56e10400916");
        Check(Key, "00000005040302a0a1a2a3a4a5", "0001020304050607", "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
            "51b1e5f44a197d1da46b0f8e2d282ae871e838bb64da859657", "4adaa76fbd9fb0c5");
        Check(Key, "00000009080706a0a1a2a3a4a5", "0001020304050607", "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
            "0135d1b2c95f41d5d1d4fec185d166b8094e999dfed96c", "048c56602c97acbb7490");
        Check(
            "d7828d13b2b0bdc325a76236df93cc6b", "00412b4ea9cdbe3c9696766cfa", "0be1a88bace018b1",
            "08e8cf97d820ea258460e96ad9cf5289054d895ceac47c",
            "4cb97f86a2a4689a877947ab8091ef5386a6ffbdd080f8", "e78cf7cb0cddd7b3");

        void Check(string key, string nonce, string data, string plaintext, string ciphertext, string tag)
        {
            using AesCcmCipher cipher = new(Convert.FromHexString(key), Enum.Parse<AesCcmImplementation>(means));
            byte[] made = new byte[ciphertext.Length / 2];
            byte[] madeTag = new byte[tag.Length / 2];
            cipher.Encrypt(Convert.FromHexString(nonce), Convert.FromHexString(data), Convert.FromHexString(plaintext), made, madeTag);
            Assert.Equal((ciphertext, tag), (Convert.ToHexStringLower(made), Convert.ToHexStringLower(madeTag)));
        }
    }

    [Theory]
    [MemberData(nameof(Means))]
    public void AES_CCM_matches_the_platform_for_all_lengths(string means)
    {
        Random random = new(8613);
        for (int i = 0; i < 1_000; i++)
        {
            byte[] key = Bytes(random, 16);
            Compare(random, key, Enum.Parse<AesCcmImplementation>(means), dataLength: i < 4 ? 0xff00 - 2 + i : random.Next(80));
        }
    }

    [Fact]
    public void The_block_implementation_supports_192_and_256_bit_keys()
    {
        Random random = new(3610);
        for (int i = 0; i < 100; i++)
        {
            Compare(random, Bytes(random, 16 + (8 * random.Next(3))), AesCcmImplementation.Blocks, random.Next(80));
        }
    }

    [Fact]
    public void The_processor_is_preferred_for_128_bit_keys_and_longer_keys_use_the_platform()
    {
        Assert.Equal(ProcessorAesCcm.IsSupported, AesCcmCipher.MeansFor(16) == AesCcmImplementation.Processor);
        Assert.Equal(AesCcm.IsSupported ? AesCcmImplementation.Platform : AesCcmImplementation.Blocks, AesCcmCipher.MeansFor(32));
        PlatformNotSupportedException exception = Assert.Throws<PlatformNotSupportedException>(
            () => new AesCcmCipher(new byte[16], AesCcmImplementation.None));
        exception.Message.Begins("AES-CCM needs a processor with AES instructions");
    }

    private static void Compare(Random random, byte[] key, AesCcmImplementation means, int dataLength)
    {
        using AesCcmCipher cipher = new(key, means);
        byte[] nonce = Bytes(random, random.Next(7, 14));
        byte[] data = Bytes(random, dataLength);
        byte[] plaintext = Bytes(random, random.Next(120));
        byte[] tag = new byte[2 * random.Next(2, 9)];
        byte[] ciphertext = new byte[plaintext.Length];
        byte[] opened = new byte[plaintext.Length];

        cipher.Encrypt(nonce, data, plaintext, ciphertext, tag);

        if (AesCcm.IsSupported)
        {
            byte[] expectedTag = new byte[tag.Length];
            byte[] expected = new byte[plaintext.Length];
            using AesCcm platform = new(key);
            platform.Encrypt(nonce, plaintext, expected, expectedTag, data);
            Assert.Equal((Convert.ToHexString(expected), Convert.ToHexString(expectedTag)),
                (Convert.ToHexString(ciphertext), Convert.ToHexString(tag)));
        }

        Assert.True(cipher.TryDecrypt(nonce, data, ciphertext, tag, opened));
        Assert.Equal(plaintext, opened);

        // One bit anywhere.
        byte[][] parts = [.. new[] { nonce, data, ciphertext, tag }.Where(static part => part.Length > 0)];
        parts[random.Next(parts.Length)][0] ^= (byte)(1 << random.Next(8));
        Assert.False(cipher.TryDecrypt(nonce, data, ciphertext, tag, opened));
        Assert.All(opened, static b => Assert.Equal(0, b));
    }

    private static byte[] Bytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
