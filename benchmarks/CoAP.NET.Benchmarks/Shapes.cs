namespace CoAP.NET.Benchmarks;

/// <summary>What a measured message looks like.</summary>
public enum Shape
{
    /// <summary>An Empty acknowledgement: 4 bytes as a datagram.</summary>
    EmptyAck,

    /// <summary>A GET with three path segments and a query.</summary>
    Get,

    /// <summary>A 2.05 with a payload of 12 bytes.</summary>
    Content,

    /// <summary>A notification: 2.05 with Observe, ETag, Content-Format, Max-Age and 12 bytes.</summary>
    Notification,

    /// <summary>A block of 1,024 bytes in the middle of a transfer.</summary>
    Block,
}

/// <summary>Makes the measured messages, with fixed values.</summary>
internal static class Shapes
{
    private static readonly byte[] s_token = [0x4a, 0x11, 0xf0, 0x0d];

    public static CoapMessage Make(Shape shape)
    {
        if (shape == Shape.EmptyAck)
        {
            return new CoapMessage { Type = CoapMessageType.Acknowledgement, MessageId = 0x7d34 };
        }

        CoapMessage message = new(shape == Shape.Get ? CoapCode.Get : CoapCode.Content)
        {
            Type = shape switch
            {
                Shape.Get => CoapMessageType.Confirmable,
                Shape.Notification => CoapMessageType.NonConfirmable,
                _ => CoapMessageType.Acknowledgement,
            },
            MessageId = 0x7d34,
            Token = new CoapToken(s_token),
        };
        switch (shape)
        {
            case Shape.Get:
                message.Options.Add(OptionNumber.UriPath, "building"u8).Add(OptionNumber.UriPath, "3"u8)
                    .Add(OptionNumber.UriPath, "temperature"u8)
                    .Add(OptionNumber.UriQuery, "unit=celsius"u8);
                break;
            case Shape.Content:
                message.Options.AddUInt(OptionNumber.ContentFormat, 0);
                message.Payload = "21.5 degrees"u8.ToArray();
                break;
            case Shape.Notification:
                message.Options.Add(OptionNumber.ETag, [0x01, 0x02, 0x03, 0x04]).AddUInt(OptionNumber.Observe, 1_234)
                    .AddUInt(OptionNumber.ContentFormat, 0)
                    .AddUInt(OptionNumber.MaxAge, 300);
                message.Payload = "21.5 degrees"u8.ToArray();
                break;
            default:
                message.Options.Add(OptionNumber.ETag, [0x01, 0x02, 0x03, 0x04]).AddUInt(OptionNumber.ContentFormat, 42)
                    .AddUInt(OptionNumber.Block2, (7 << 4) | 8 | 6);
                message.Payload = Enumerable.Range(0, 1_024).Select(i => (byte)i).ToArray();
                break;
        }

        return message;
    }
}
