using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Creates CoAP requests from those of the editor, and describes invalid fields.</summary>
internal static class ExplorerRequestFactory
{
    // The most that the length of an option can say (RFC 7252 section 3.1).
    private const int MaxLength = 269 + ushort.MaxValue;

    // The end of the largest body in blocks: see CoapDownloadOptions.Offset.
    private const long MaxOffset = 1L << 30;

    private static readonly string[] s_methods = ["GET", "POST", "PUT", "DELETE", "FETCH", "PATCH", "iPATCH"];

    /// <summary>The names of the methods; the first one has the value 1.</summary>
    public static IReadOnlyList<string> Methods => s_methods;

    /// <summary>Creates the request.</summary>
    /// <param name="asked">The request of the page.</param>
    /// <param name="uri">Its checked URI.</param>
    /// <param name="payload">Its payload; null for none.</param>
    /// <exception cref="ExplorerException">An option, a number or a name is not valid.</exception>
    public static CoapRequest Read(EditorRequest asked, CoapUri uri, byte[]? payload)
    {
        CoapRequest request = Make(MethodOf(asked.Method), uri);
        request.Confirmable = asked.Confirmable;
        foreach (EditorOption option in asked.Options)
        {
            request.Options.Add(option.Number, ValueOf(option));
        }

        if (payload is not null)
        {
            request.Content = new CoapContent(payload, request.Options.ContentFormat);
        }

        if (asked.TimeoutSeconds is { } seconds)
        {
            request.Timeout = seconds is > 0 and <= 3600
                ? TimeSpan.FromSeconds(seconds)
                : throw ExplorerException.Bad("Not a timeout", "The timeout must be above 0 and at most 3,600 seconds.");
        }

        if (asked.BlockSize is { } size)
        {
            request.BlockSize = size is 16 or 32 or 64 or 128 or 256 or 512 or 1024
                ? size
                : throw ExplorerException.Bad("Not a block size", "The block size must be 16, 32, 64, 128, 256, 512 or 1024 (RFC 7959).");
        }

        if (asked.Offset is < 0 or > MaxOffset)
        {
            throw ExplorerException.Bad("Not an offset", string.Create(
                CultureInfo.InvariantCulture, $"A download starts at an offset from 0 to {MaxOffset:N0} (RFC 7959 section 2.2)."));
        }

        if (asked.Offset > 0)
        {
            request.Download = new CoapDownloadOptions { Offset = asked.Offset };
        }

        return request;
    }

    private static CoapRequest Make(CoapMethod method, CoapUri uri)
    {
        try
        {
            return new CoapRequest(method, uri.ToString());
        }
        catch (Exception exception) when (exception is ArgumentException or CoapFormatException)
        {
            throw ExplorerException.Bad("Not a CoAP URI", exception.Message);
        }
    }

    public static CoapMethod MethodOf(string name)
    {
        int index = Array.FindIndex(s_methods, method => string.Equals(method, name, StringComparison.OrdinalIgnoreCase));
        return index >= 0 ? (CoapMethod)(index + 1)
            : throw ExplorerException.Bad("No such method", $"Methods are {string.Join(", ", s_methods)}.");
    }

    /// <summary>Returns the Content-Format in an option of a request; null for none.</summary>
    public static CoapContentFormat? FormatOf(EditorRequest asked, int number) =>
        FormatOf(asked.Options.FirstOrDefault(option => option.Number == number)?.Value);

    /// <summary>Returns the Content-Format for a number in decimal digits; null for none.</summary>
    public static CoapContentFormat? FormatOf(string? value) =>
        ushort.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number) ? new CoapContentFormat(number) : null;

    /// <summary>Returns the Content-Format for a number in decimal digits; null if there is no number.</summary>
    /// <exception cref="ExplorerException">The text is not such a number.</exception>
    public static CoapContentFormat? RequiredFormatOf(string? value) =>
        value is null ? null
        : FormatOf(value) ?? throw ExplorerException.Bad("No such Content-Format", "A Content-Format is a number from 0 to 65535.");

    /// <summary>Returns the bytes of an option.</summary>
    /// <exception cref="ExplorerException">The value does not match the option.</exception>
    public static byte[] ValueOf(EditorOption option)
    {
        if (option.Number is < 0 or > OptionNumber.Max)
        {
            throw ExplorerException.Bad("No such option", "The option number must be from 0 to 65535.");
        }

        OptionDefinition? definition = CoapOptionRegistry.Default.Find(CoapCode.Get, option.Number)?.Definition;
        string name = definition?.Name ?? string.Create(CultureInfo.InvariantCulture, $"Option {option.Number}");
        byte[] value = definition?.Format switch
        {
            OptionFormat.Empty => option.Value.Length == 0 ? [] : throw Wrong(name, "has no value"),
            OptionFormat.UInt => uint.TryParse(option.Value, NumberStyles.None, CultureInfo.InvariantCulture, out uint number)
                ? ToUInt(number) : throw Wrong(name, "takes a number from 0 to 4294967295"),
            OptionFormat.String => Encoding.UTF8.GetBytes(option.Value),
            _ => HexOf(option.Value) ?? throw Wrong(name, "takes hexadecimal digits, two for each byte"),
        };
        (int min, int max) = (definition?.MinLength ?? 0, definition?.MaxLength ?? MaxLength);
        return value.Length >= min && value.Length <= max
            ? value
            : throw Wrong(name, string.Create(CultureInfo.InvariantCulture, $"has {min} to {max} bytes, and this has {value.Length}"));
    }

    /// <summary>Parses hexadecimal digits, with or without 0x and spaces; null if the text is not hexadecimal.</summary>
    public static byte[]? HexOf(string text)
    {
        string digits = string.Concat((text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? text[2..] : text)
            .Where(static c => !char.IsWhiteSpace(c)));
        try
        {
            return Convert.FromHexString(digits);
        }
        catch (FormatException)
        {
            return null;
        }
    }

    private static ExplorerException Wrong(string name, string what) => ExplorerException.Bad("Option not understood", $"{name} {what}.");

    // RFC 7252 section 3.2: no leading zero bytes, and no byte at all for zero.
    private static byte[] ToUInt(uint value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes.AsSpan().TrimStart((byte)0).ToArray();
    }
}
