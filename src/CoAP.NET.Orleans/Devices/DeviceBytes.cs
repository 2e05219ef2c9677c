using CoAP.NET.Blockwise;
using CoAP.NET.Cluster;
using CoAP.NET.Serialization;

namespace CoAP.NET.Orleans;

/// <summary>Converts requests to devices, and their answers, to bytes for other silos (<see cref="DeviceWire"/>), and back.</summary>
internal static class DeviceBytes
{
    /// <summary>The maximum length of a body between silos. A call of Orleans is in memory as a whole.</summary>
    public const int MaxBody = 16 * 1024 * 1024;

    private const int MaxOptions = 256 * 1024;

    private static readonly CoapDatagramSerializer s_serializer = new(new CoapSerializerOptions { MaxMessageSize = MaxBody + MaxOptions });

    /// <summary>Whether a request changes nothing.</summary>
    /// <param name="request">The request.</param>
    public static bool IsSafe(CoapRequest request) => request.Code == CoapCode.Get || request.Code == CoapCode.Fetch;

    /// <summary>Throws if a request asks for a part of a body: the other silo would not know which one.</summary>
    /// <param name="request">The request.</param>
    public static void ThrowIfPart(CoapRequest request)
    {
        if (request.Download is not null)
        {
            throw new NotSupportedException("CoapRequest.Download is not supported for devices on Orleans. Request the whole body.");
        }
    }

    /// <summary>Converts a request to a device. A body from a stream is read.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <exception cref="CoapDeviceException">The body is too large.</exception>
    public static async Task<byte[]> OfRequestAsync(string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        ThrowIfPart(request);
        CoapMessage message = DeviceWire.Wrap(key, 0, request).Message;
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

        return message.Payload.Length > MaxBody ? throw TooLarge(name, isOutcomeUnknown: false) : s_serializer.Serialize(message);
    }

    /// <summary>Converts the request of another silo about a device.</summary>
    /// <param name="request">The request.</param>
    public static byte[] Of(CoapRequest request) => s_serializer.Serialize(request.Message);

    /// <summary>Converts bytes of another silo to its request about a device.</summary>
    /// <param name="request">The bytes.</param>
    public static CoapRequest RequestOf(byte[] request) => new(s_serializer.Deserialize(request.AsMemory()));

    /// <summary>Converts an answer for another silo.</summary>
    /// <param name="answer">The answer.</param>
    public static byte[] Of(CoapResult answer)
    {
        CoapMessage message = new(answer.Code) { Payload = answer.Payload };
        message.Options.AddAll(answer.Options);
        return s_serializer.Serialize(message);
    }

    /// <summary>Converts the response of a device for another silo.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="response">The response.</param>
    /// <param name="isSafe">Whether the request changes nothing.</param>
    public static byte[] Of(string name, CoapResponse response, bool isSafe) => Of(response.Payload.Length <= MaxBody
        ? DeviceWire.Wrap(response)
        : DeviceWire.Wrap(TooLarge(name, !isSafe)));

    /// <summary>Converts bytes of another silo to its answer.</summary>
    /// <param name="answer">The bytes.</param>
    public static CoapResponse ResponseOf(byte[] answer) => CoapResponse.FromMessage(s_serializer.Deserialize(answer.AsMemory()));

    /// <summary>Passes a response to the caller of a request, with its body to the stream that the request names.</summary>
    /// <param name="response">The response.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops writing.</param>
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

    private static CoapDeviceException TooLarge(string name, bool isOutcomeUnknown) => new(name,
        $"A body between silos must have at most {MaxBody:N0} bytes. Transfer it in parts.")
    { IsOutcomeUnknown = isOutcomeUnknown };
}
