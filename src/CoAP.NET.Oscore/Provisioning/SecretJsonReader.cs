using System.Buffers;
using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace CoAP.NET.Oscore.Provisioning;

/// <summary>Reads JSON values whose text may be secret: it never becomes a string, and errors do not contain it.</summary>
internal static class SecretJsonReader
{
    private const int MaxText = 4096;

    public static JsonReaderOptions Options => new()
    {
        MaxDepth = 8,
        CommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
    };

    /// <summary>
    /// Creates the error for invalid JSON. It does not use the text of <see cref="JsonException"/>, which quotes the input.
    /// </summary>
    public static CoapCredentialException NoJson(string file, JsonException exception) => new(file, 0,
        exception.LineNumber is { } line
            ? $"Line {line + 1} is not valid JSON. Check quotes, commas and brackets there."
            : "The file is not valid JSON.");

    /// <summary>Reads bytes in the format of our files: <c>0x</c> and hexadecimal digits, or <c>base64:</c> and Base64.</summary>
    /// <param name="reader">The reader, positioned at the value.</param>
    /// <param name="file">The file.</param>
    /// <param name="name">The name of the value in messages.</param>
    public static byte[] ReadBytes(ref Utf8JsonReader reader, string file, string name) => ReadText(ref reader, file, name, static text =>
        text.IsEmpty ? []
        : text.StartsWith("0x"u8) ? FromHex(text[2..])
        : text.StartsWith("base64:"u8) ? FromBase64(text[7..])
        : null) ?? throw new CoapCredentialException(file, 0,
            $"{name} must be 0x and hexadecimal digits, two for each byte, or base64: and Base64.");

    /// <summary>Reads bytes in hexadecimal.</summary>
    public static byte[] ReadHex(ref Utf8JsonReader reader, string file, string name) => ReadText(ref reader, file, name, FromHex)
        ?? throw new CoapCredentialException(file, 0, $"{name} must be hexadecimal digits, two for each byte.");

    /// <summary>Reads the bytes of a text.</summary>
    public static byte[] ReadAscii(ref Utf8JsonReader reader, string file, string name) =>
        ReadText(ref reader, file, name, static text => Ascii.IsValid(text) ? text.ToArray() : null)
        ?? throw new CoapCredentialException(file, 0, $"{name} must contain ASCII characters only.");

    /// <summary>Reads a text that is not secret.</summary>
    /// <param name="reader">The reader, positioned at the value.</param>
    /// <param name="file">The file.</param>
    /// <param name="name">The name of the value in messages.</param>
    /// <param name="maxLength">Maximum length in bytes.</param>
    public static string ReadString(ref Utf8JsonReader reader, string file, string name, int maxLength) =>
        reader.TokenType == JsonTokenType.String && reader.ValueSpan.Length <= maxLength
            ? ReadText(ref reader, file, name, static text => Encoding.UTF8.GetString(text))!
            : throw new CoapCredentialException(file, 0, $"{name} must be a text of at most {maxLength} bytes.");

    /// <summary>Reads a whole number.</summary>
    public static int ReadInteger(ref Utf8JsonReader reader, string file, string name) =>
        reader.TokenType == JsonTokenType.Number && reader.TryGetInt32(out int value)
            ? value
            : throw new CoapCredentialException(file, 0, $"{name} must be a whole number.");

    /// <summary>Reads the size of a replay window.</summary>
    public static int ReadWindowSize(ref Utf8JsonReader reader, string file, string name) =>
        ReadInteger(ref reader, file, name) is >= 1 and <= OscoreParameters.MaxWindowSize and var size
            ? size
            : throw new CoapCredentialException(file, 0, $"{name} must be between 1 and {OscoreParameters.MaxWindowSize}.");

    private static T? ReadText<T>(ref Utf8JsonReader reader, string file, string name, TextReader<T> read)
        where T : class
    {
        if (reader.TokenType != JsonTokenType.String || reader.ValueSpan.Length > MaxText)
        {
            throw new CoapCredentialException(file, 0, $"{name} must be a text of at most {MaxText} characters.");
        }

        Span<byte> text = stackalloc byte[reader.ValueSpan.Length];
        try
        {
            return read(text[..reader.CopyString(text)]);
        }
        catch (InvalidOperationException)
        {
            throw new CoapCredentialException(file, 0, $"{name} is not valid UTF-8.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(text);
        }
    }

    private static byte[]? FromHex(ReadOnlySpan<byte> text)
    {
        byte[] bytes = new byte[text.Length / 2];
        if (text.Length % 2 == 0 && Convert.FromHexString(text, bytes, out _, out _) == OperationStatus.Done)
        {
            return bytes;
        }

        CryptographicOperations.ZeroMemory(bytes);
        return null;
    }

    private static byte[]? FromBase64(ReadOnlySpan<byte> text)
    {
        byte[] bytes = new byte[Base64.GetMaxDecodedFromUtf8Length(text.Length)];
        bool isWhole = Base64.DecodeFromUtf8(text, bytes, out _, out int written) == OperationStatus.Done;
        byte[]? result = isWhole ? bytes.AsSpan(0, written).ToArray() : null;
        CryptographicOperations.ZeroMemory(bytes);
        return result;
    }

    private delegate T? TextReader<out T>(ReadOnlySpan<byte> text);
}
