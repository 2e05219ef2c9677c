using System.Text;
using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Devices;

/// <summary>Encodes and checks the names of devices, and finds their slots.</summary>
internal static class DeviceName
{
    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Returns the bytes of a name; null for an invalid one.</summary>
    public static byte[]? TryEncode(string name)
    {
        // Every character has at least one byte.
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

    public static CoapSlot SlotOf(string name) => CoapSlot.OfName(s_utf8.GetBytes(name));

    /// <summary>Throws if a name is not valid.</summary>
    /// <returns>Its bytes.</returns>
    public static byte[] Encode(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return TryEncode(name) ?? throw new ArgumentException(
            $"The name of a device must have 1 to {ICoapDevices.MaxNameLength} bytes of UTF-8.", nameof(name));
    }
}
