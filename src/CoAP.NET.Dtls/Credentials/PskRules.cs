using System.Globalization;
using System.Text;

namespace CoAP.NET.Dtls.Credentials;

/// <summary>The rules for identities and keys (RFC 4279 section 5), and their text format.</summary>
internal static class PskRules
{
    /// <summary>Most bytes of an identity (RFC 4279 section 5.3).</summary>
    public const int MaxIdentity = 128;

    /// <summary>Most bytes of a key (RFC 4279 section 5.3).</summary>
    public const int MaxKey = 64;

    private const string HexPrefix = "0x";

    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The problem of an identity; null if there is none.</summary>
    public static string? ProblemOfIdentity(string identity)
    {
        if (identity.Length == 0)
        {
            return "The identity of a pre-shared key is empty. Give it 1 to 128 bytes of UTF-8.";
        }

        if (identity.Contains('\0', StringComparison.Ordinal))
        {
            return "The identity of a pre-shared key holds a NUL character, at which other implementations cut it. Leave it out.";
        }

        return ByteCount(identity) is var bytes and (< 0 or > MaxIdentity)
            ? bytes < 0
                ? "The identity of a pre-shared key is not valid Unicode: it has half a surrogate pair."
                : $"The identity of a pre-shared key has {bytes} bytes of UTF-8, but at most {MaxIdentity} are safe everywhere (RFC 4279 "
                    + "section 5.3). Shorten it."
            : null;
    }

    /// <summary>The problem of a key's length; null if there is none.</summary>
    public static string? ProblemOfKey(int length) =>
        length is >= 1 and <= MaxKey
            ? null
            : $"A pre-shared key has 1 to {MaxKey} bytes (RFC 4279 section 5.3), not {length}; 16 random ones are right for AES-128.";

    /// <summary>Throws if the identity or the key is not valid.</summary>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
    public static void Check(string identity, int keyLength)
    {
        ArgumentNullException.ThrowIfNull(identity);
        if (ProblemOfIdentity(identity) is { } badIdentity)
        {
            throw new ArgumentException(badIdentity);
        }

        if (ProblemOfKey(keyLength) is { } badKey)
        {
            throw new ArgumentException(badKey);
        }
    }

    /// <summary>Reads <c>identity:key</c>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="identity">The part before the last colon.</param>
    /// <param name="key">The key's bytes, which the caller overwrites.</param>
    /// <param name="problem">The problem, without the key.</param>
    public static bool TryParse(ReadOnlySpan<char> text, out string identity, out byte[] key, out string problem)
    {
        identity = string.Empty;
        key = [];

        // The last one: identities such as urn:dev:ow:10e2073a01080063 have colons.
        int colon = text.LastIndexOf(':');
        if (colon < 0)
        {
            problem = "There is no colon between identity and key. Write identity:key, the key as text or as 0x and hexadecimal digits.";
            return false;
        }

        identity = text[..colon].Trim().ToString();
        return TryReadKey(text[(colon + 1)..].Trim(), out key, out problem)
            && (problem = ProblemOfIdentity(identity) ?? string.Empty).Length == 0;
    }

    /// <summary>Reads a key: text, or <c>0x</c> and hexadecimal digits.</summary>
    public static bool TryReadKey(ReadOnlySpan<char> text, out byte[] key, out string problem)
    {
        key = [];
        problem = string.Empty;
        if (!text.StartsWith(HexPrefix, StringComparison.OrdinalIgnoreCase))
        {
            key = new byte[Encoding.UTF8.GetByteCount(text)];
            Encoding.UTF8.GetBytes(text, key);
        }
        else
        {
            ReadOnlySpan<char> digits = text[HexPrefix.Length..];
            byte[] bytes = new byte[digits.Length / 2];
            if (digits.Length % 2 != 0 || Convert.FromHexString(digits, bytes, out _, out _) != System.Buffers.OperationStatus.Done)
            {
                problem = string.Create(CultureInfo.InvariantCulture,
                    $"The key begins with 0x, but what follows are not pairs of hexadecimal digits ({digits.Length} characters).");
                return false;
            }

            key = bytes;
        }

        problem = ProblemOfKey(key.Length) ?? string.Empty;
        return problem.Length == 0;
    }

    private static int ByteCount(string text)
    {
        try
        {
            return s_utf8.GetByteCount(text);
        }
        catch (EncoderFallbackException)
        {
            return -1;
        }
    }
}
