using CoAP.NET.Orleans.Devices;

namespace CoAP.NET.Orleans.Messages;

/// <summary>Messages to devices, and their responses, between silos: the format of RFC 7252, with larger bodies.</summary>
internal static class MessageFormat
{
    private const int MaxOptions = 256 * 1024;

    public static CoapDatagramSerializer Serializer { get; } =
        new(new CoapSerializerOptions { MaxMessageSize = DeviceBodies.MaxLength + MaxOptions });
}
