using System.Text;

namespace CoAP.NET.Cluster;

/// <summary>What a name of a device may be.</summary>
internal static class DeviceName
{
    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The bytes of a name; null for one that none may have.</summary>
    /// <param name="name">The name.</param>
    public static byte[]? TryEncode(string name)
    {
        // No character has less than one byte.
        if (name.Length is 0 or > ICoapDevices.MaxNameLength)
        {
            return null;
        }

        try
        {
            byte[] bytes = s_utf8.GetBytes(name);
            return bytes.Length <= ICoapDevices.MaxNameLength ? bytes : null;
        }
        catch (EncoderFallbackException)
        {
            return null;
        }
    }

    /// <summary>The name that bytes are; null where they are none.</summary>
    /// <param name="bytes">The bytes.</param>
    public static string? TryDecode(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return bytes.Length is 0 or > ICoapDevices.MaxNameLength ? null : s_utf8.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    /// <summary>Throws when a name is none.</summary>
    /// <param name="name">The name.</param>
    /// <returns>Its bytes.</returns>
    public static byte[] Encode(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return TryEncode(name) ?? throw new ArgumentException(
            $"The name of a device has 1 to {ICoapDevices.MaxNameLength} bytes of UTF-8.", nameof(name));
    }
}
