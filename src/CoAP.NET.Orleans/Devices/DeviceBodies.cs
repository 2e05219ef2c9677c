using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Requests;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Bodies of requests to devices at other silos, and of their responses, which calls between silos have as a whole.</summary>
internal static class DeviceBodies
{
    /// <summary>The maximum length of a body between silos in bytes: 16 MiB. A call of Orleans is in memory as a whole.</summary>
    public const int MaxLength = 16 * 1024 * 1024;

    /// <summary>Throws if a request asks for a part of a body: the other silo would not know which one.</summary>
    public static void ThrowIfPart(CoapRequest request)
    {
        if (request.Download is not null)
        {
            throw new NotSupportedException("CoapRequest.Download is not supported for devices on Orleans. Request the whole body.");
        }
    }

    /// <summary>Returns a request to a device with its body in memory. A body from a stream is read.</summary>
    /// <exception cref="CoapDeviceException">The body is too large.</exception>
    public static async Task<CoapRequest> ReadAsync(string device, CoapRequest request, CancellationToken cancellationToken)
    {
        ThrowIfPart(request);
        CoapMessage message = DeviceRequestMessageFactory.Of(request);
        if (request.Content?.Open is { } open)
        {
            UploadBody body = open();
            await using (body.ConfigureAwait(false))
            {
                (message.Payload, bool isMore) = await body.ReadAsync(0, MaxLength, cancellationToken).ConfigureAwait(false);
                if (isMore)
                {
                    throw TooLarge(device, isOutcomeUnknown: false);
                }
            }
        }

        return message.Payload.Length > MaxLength
            ? throw TooLarge(device, isOutcomeUnknown: false)
            : new CoapRequest(message) { Confirmable = request.Confirmable, Timeout = request.Timeout };
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

    public static CoapDeviceException TooLarge(string device, bool isOutcomeUnknown) => new(CoapDeviceFault.Failed, device,
        $"A body between silos must have at most {MaxLength:N0} bytes. Transfer it in parts.")
    { IsOutcomeUnknown = isOutcomeUnknown };
}
