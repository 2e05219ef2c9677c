using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Devices.Observing;
using CoAP.NET.Diagnostics;
using CoAP.NET.Requests;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// Converts requests to devices, and their answers, to bytes for other silos, and back. Method, options and payload keep their meaning for
/// the device.
/// </summary>
internal static class DeviceCallSerializer
{
    /// <summary>The maximum length of a body between silos. A call of Orleans is in memory as a whole.</summary>
    public const int MaxBody = 16 * 1024 * 1024;

    private const int MaxOptions = 256 * 1024;
    private const int MaxText = 1024;

    // The outcome, whether it is unknown if the request had an effect, and the time of the last message.
    private const int FailureLength = 2 + sizeof(long);

    private static readonly CoapDatagramSerializer s_serializer = new(new CoapSerializerOptions { MaxMessageSize = MaxBody + MaxOptions });

    /// <summary>The answer of a silo that does not have the device.</summary>
    public static byte[] NotHere { get; } = [(byte)DeviceOutcome.NotHere];

    /// <summary>Throws if a request asks for a part of a body: the other silo would not know which one.</summary>
    public static void ThrowIfPart(CoapRequest request)
    {
        if (request.Download is not null)
        {
            throw new NotSupportedException("CoapRequest.Download is not supported for devices on Orleans. Request the whole body.");
        }
    }

    /// <summary>Converts a request to a device. A body from a stream is read.</summary>
    /// <exception cref="CoapDeviceException">The body is too large.</exception>
    public static async Task<byte[]> OfRequestAsync(string name, CoapRequest request, CancellationToken cancellationToken)
    {
        ThrowIfPart(request);
        CoapMessage message = DeviceRequestMessageFactory.Of(request);
        if (request.Content?.Open is { } open)
        {
            UploadBody body = open();
            await using (body.ConfigureAwait(false))
            {
                (message.Payload, bool isMore) = await body.ReadAsync(0, MaxBody, cancellationToken).ConfigureAwait(false);
                if (isMore)
                {
                    throw TooLarge(name, isOutcomeUnknown: false);
                }
            }
        }

        return message.Payload.Length > MaxBody
            ? throw TooLarge(name, isOutcomeUnknown: false)
            : [request.Confirmable ? (byte)1 : (byte)0, .. s_serializer.Serialize(message)];
    }

    /// <summary>Converts bytes of another silo to its request to a device.</summary>
    public static CoapRequest RequestOf(byte[] bytes, TimeSpan? timeout) =>
        new(s_serializer.Deserialize(bytes.AsMemory(1))) { Confirmable = bytes[0] != 0, Timeout = timeout };

    /// <summary>Converts the response of a device.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="response">The response.</param>
    /// <param name="isSafe">Whether the request changes nothing.</param>
    public static byte[] Of(string name, CoapResponse response, bool isSafe)
    {
        // A device that need not respond, and did not, has no message.
        CoapMessage message = response.IsNone ? new CoapMessage(CoapCode.Changed) : response.Message;
        return message.Payload.Length > MaxBody
            ? Of(TooLarge(name, !isSafe))
            : [(byte)DeviceOutcome.Response, .. s_serializer.Serialize(message)];
    }

    public static byte[] Of(CoapDeviceException failure)
    {
        string text = failure.InnerException?.Message ?? failure.Message;
        byte[] utf8 = Encoding.UTF8.GetBytes(text.Length > MaxText ? text[..MaxText] : text);
        byte[] bytes = new byte[FailureLength + utf8.Length];
        bytes[0] = (byte)(failure switch
        {
            { HasMoved: true } => DeviceOutcome.Moved,
            { Fault: CoapDeviceFault.Unknown } => DeviceOutcome.NotHere,
            { Fault: CoapDeviceFault.Asleep } => DeviceOutcome.Asleep,
            { Fault: CoapDeviceFault.Unreachable } => DeviceOutcome.Unreachable,
            _ => DeviceOutcome.Other,
        });
        bytes[1] = failure.IsOutcomeUnknown ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(2), failure.LastHeard?.UtcTicks ?? 0);
        utf8.CopyTo(bytes, FailureLength);
        return bytes;
    }

    /// <summary>Converts the answer of another silo.</summary>
    /// <returns>The response or the failure; both null if the silo does not have the device.</returns>
    public static (CoapResponse? Response, CoapDeviceException? Failure) AnswerOf(byte[] bytes, string name)
    {
        DeviceOutcome outcome = (DeviceOutcome)bytes[0];
        if (outcome == DeviceOutcome.Response)
        {
            return (CoapResponse.FromMessage(s_serializer.Deserialize(bytes.AsMemory(1))), null);
        }

        if (outcome == DeviceOutcome.NotHere)
        {
            return (null, null);
        }

        bool isUnknown = bytes[1] != 0;
        long heard = BinaryPrimitives.ReadInt64BigEndian(bytes.AsSpan(2));
        string text = Encoding.UTF8.GetString(bytes.AsSpan(FailureLength));
        return (null, outcome switch
        {
            DeviceOutcome.Asleep => CoapDeviceException.Asleep(
                name, heard == 0 ? null : new DateTimeOffset(heard, TimeSpan.Zero), isUnknown),
            DeviceOutcome.Unreachable or DeviceOutcome.Moved =>
                CoapDeviceException.Unreachable(name, text, isUnknown, hasMoved: outcome == DeviceOutcome.Moved),
            _ => new CoapDeviceException(CoapDeviceFault.Failed, name, CoapUntrustedText.LineOf(text)) { IsOutcomeUnknown = isUnknown },
        });
    }

    /// <summary>Converts the state of an observed resource.</summary>
    public static byte[] Of(string name, DeviceNotification news) => [(byte)news.State, .. news switch
    {
        { HasLeft: true } => NotHere,
        { Response: { } response } => Of(name, response, isSafe: true),
        { Failure: { } failure } => Of(failure),
        _ => [],
    }];

    /// <summary>Converts the state of a resource that another silo observes.</summary>
    /// <param name="bytes">The bytes, not empty.</param>
    /// <param name="name">The name of the device.</param>
    public static DeviceNotification NotificationOf(byte[] bytes, string name)
    {
        (CoapResponse? response, CoapDeviceException? failure) = bytes.Length == 1 ? default : AnswerOf(bytes[1..], name);
        return new DeviceNotification((CoapObserveState)bytes[0], response, failure);
    }

    /// <summary>Passes a response to the caller of a request, with its body to the stream that the request names.</summary>
    public static async ValueTask<CoapResponse> PassOnAsync(
        CoapResponse response, CoapRequest request, CancellationToken cancellationToken)
    {
        if (request.Destination is { } stream && response.IsSuccess)
        {
            await stream.WriteAsync(response.Payload, cancellationToken).ConfigureAwait(false);
            response.Message.Payload = default;
        }

        return response;
    }

    private static CoapDeviceException TooLarge(string name, bool isOutcomeUnknown) => new(CoapDeviceFault.Failed, name,
        $"A body between silos must have at most {MaxBody:N0} bytes. Transfer it in parts.")
    { IsOutcomeUnknown = isOutcomeUnknown };
}

/// <summary>The first byte of the answer of a silo about a device.</summary>
internal enum DeviceOutcome : byte
{
    Response,

    /// <summary>The silo does not have the device.</summary>
    NotHere,

    Asleep,

    /// <summary>The device did not answer.</summary>
    Unreachable,

    /// <summary>Its session moved to another silo before the answer, and the request may be sent there.</summary>
    Moved,

    /// <summary>Another reason; see the text.</summary>
    Other,
}
