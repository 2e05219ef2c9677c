using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Execution;

/// <summary>The hashes that need no OpenSSL give what their standards and the platform give.</summary>
public sealed class HashTests
{
    // FIPS 180-4, from the examples of NIST and the Secure Hash Standard Validation System.
    [Theory]
    [InlineData("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    [InlineData("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")]
    [InlineData(
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")]
    [InlineData(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")]
    public void SHA_256_gives_the_answers_of_its_standard(string text, string hash) =>
        Assert.Equal(hash, Convert.ToHexStringLower(Sha256.HashData(Encoding.ASCII.GetBytes(text))));

    [Fact]
    public void SHA_256_of_a_million_letters_matches_FIPS_180() => Assert.Equal(
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        Convert.ToHexStringLower(Sha256.HashData(Encoding.ASCII.GetBytes(new string('a', 1_000_000)))));

    [Fact]
    public void SHA_256_gives_what_the_platform_gives_for_all_lengths_and_parts()
    {
        byte[] source = Bytes(1, 200);
        byte[] hash = new byte[Sha256.HashLength];
        for (int length = 0; length <= source.Length; length++)
        {
            string expected = Convert.ToHexString(SHA256.HashData(source.AsSpan(0, length)));
            Assert.Equal(expected, Convert.ToHexString(Sha256.HashData(source.AsSpan(0, length))));
            for (int first = 0; first <= length; first += 7)
            {
                Sha256 parts = new();
                parts.Append(source.AsSpan(0, first));
                Sha256 copy = parts;
                copy.Append(source);
                parts.Append(source.AsSpan(first, (length - first) / 2));
                parts.Append(source.AsSpan(first + ((length - first) / 2), length - first - ((length - first) / 2)));
                parts.Finish(hash);
                Assert.Equal(expected, Convert.ToHexString(hash));
            }
        }
    }

    [Fact]
    public void A_hash_may_be_written_over_its_source()
    {
        byte[] bytes = Bytes(2, 100);
        string expected = Convert.ToHexString(SHA256.HashData(bytes));

        Sha256.HashData(bytes, bytes);

        Assert.Equal(expected, Convert.ToHexString(bytes.AsSpan(0, Sha256.HashLength)));
    }

    // RFC 4231 section 4, test cases 1 to 7.
    [Theory]
    [InlineData(
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")]
    [InlineData(
        "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")]
    [InlineData("aa*20", "dd*50", "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")]
    [InlineData(
        "0102030405060708090a0b0c0d0e0f10111213141516171819", "cd*50", "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")]
    [InlineData("0c*20", "546573742057697468205472756e636174696f6e", "a3b6167473100ee06e0c796c2955552b")]
    [InlineData(
        "aa*131", "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")]
    [InlineData(
        "aa*131",
        "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65206b657920616e642061206c6172676572207468"
            + "616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565647320746f20626520686173686564206265666f7265206265696e6720757365"
            + "642062792074686520484d414320616c676f726974686d2e",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")]
    public void HMAC_gives_the_answers_of_its_RFC(string key, string message, string code)
    {
        byte[] made = new byte[Sha256.HashLength];

        HmacSha256.HashData(FromHex(key), FromHex(message), made);

        Convert.ToHexStringLower(made).Begins(code);
    }

    [Fact]
    public void HMAC_gives_what_the_platform_gives_for_all_lengths()
    {
        byte[] bytes = Bytes(3, 200);
        byte[] code = new byte[Sha256.HashLength];
        for (int length = 0; length <= bytes.Length; length++)
        {
            HmacSha256.HashData(bytes.AsSpan(0, length), bytes.AsSpan(length / 2), code);
            Assert.Equal(HMACSHA256.HashData(bytes.AsSpan(0, length), bytes.AsSpan(length / 2)), code);
            HmacSha256.HashData(bytes.AsSpan(length / 2), bytes.AsSpan(0, length), code);
            Assert.Equal(HMACSHA256.HashData(bytes.AsSpan(length / 2), bytes.AsSpan(0, length)), code);
        }
    }

    // RFC 5869 appendix A, test cases 1 to 3.
    [Theory]
    [InlineData(
        "0b*22", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9", "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")]
    [InlineData(
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
            + "404142434445464748494a4b4c4d4e4f",
        "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
            + "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
        "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
            + "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
            + "cc30c58179ec3e87c14c01d5c1f3434f1d87")]
    [InlineData(
        "0b*22", "", "", "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")]
    public void HKDF_gives_the_answers_of_its_RFC(string secret, string salt, string info, string key, string output)
    {
        byte[] extracted = new byte[Sha256.HashLength];
        byte[] derived = new byte[output.Length / 2];

        HkdfSha256.Extract(FromHex(secret), FromHex(salt), extracted);
        Assert.Equal(key, Convert.ToHexStringLower(extracted));
        HkdfSha256.Expand(extracted, derived, FromHex(info));
        Assert.Equal(output, Convert.ToHexStringLower(derived));
        derived.AsSpan().Clear();
        HkdfSha256.DeriveKey(FromHex(secret), derived, FromHex(salt), FromHex(info));
        Assert.Equal(output, Convert.ToHexStringLower(derived));
    }

    [Fact]
    public void HKDF_derives_up_to_255_hashes()
    {
        byte[] key = Bytes(4, 32);
        byte[] output = new byte[255 * Sha256.HashLength];

        HkdfSha256.Expand(key, output, [1, 2, 3]);

        Assert.Equal(HKDF.Expand(HashAlgorithmName.SHA256, key, output.Length, [1, 2, 3]), output);
        Assert.Throws<ArgumentOutOfRangeException>(() => HkdfSha256.Expand(key, new byte[output.Length + 1], []));
    }

    [Fact]
    public void Hashes_allocate_nothing()
    {
        Allocations.NeedOptimizedCode();
        byte[] source = Bytes(5, 1_000);
        byte[] hash = new byte[Sha256.HashLength];

        Assert.Equal(0, Allocations.Least(Run));

        void Run()
        {
            Sha256.HashData(source, hash);
            HmacSha256.HashData(hash, source, hash);
            HkdfSha256.DeriveKey(source, hash, default, default);
        }
    }

    private static byte[] Bytes(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    // Hexadecimal digits, or "aa*20" for twenty times the byte.
    private static byte[] FromHex(string text) => text.Split('*') is [{ } one, { } count]
        ? [.. Enumerable.Repeat(Convert.ToByte(one, 16), int.Parse(count, System.Globalization.CultureInfo.InvariantCulture))]
        : Convert.FromHexString(text);
}
