using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.Cluster;

/// <summary>
/// The format of device requests between nodes: the original request, with the device in an option of experimental use (RFC 7252 section
/// 12.2). Method, options and blocks keep their meaning for the device.
/// </summary>
internal static class DeviceWire
{
    /// <summary>The path for requests to devices; the path at the device follows.</summary>
    public const string AskPath = "dev";

    /// <summary>The path for the search of devices.</summary>
    public const string FindPath = "dev-find";

    // Elective, and part of the cache key: the device.
    private const int DeviceOption = 65420;

    // Elective, and not part of the cache key: the number of the request, and whether it is Confirmable.
    private const int NumberOption = 65436;

    // Elective: the response does not come from the device.
    private const int FailureOption = 65452;

    // Elective, and not part of the cache key: the responses that the device need not send.
    private const int NoResponseOption = 65468;

    private const int NumberLength = sizeof(ulong);
    private const int FailureLength = 2 + sizeof(long);
    private const int MaxText = 1024;

    /// <summary>Wraps a request for another node.</summary>
    /// <param name="device">The bytes of the name of the device.</param>
    /// <param name="number">The number for its cancellation.</param>
    /// <param name="request">The request of the caller.</param>
    public static CoapRequest Wrap(ReadOnlySpan<byte> device, ulong number, CoapRequest request)
    {
        CoapRequest link = request.WithUri("/");
        CoapOptionCollection options = link.Options;
        List<byte[]> path = [.. options.GetValues(OptionNumber.UriPath).Select(static segment => segment.ToArray())];
        foreach (int target in (ReadOnlySpan<int>)[OptionNumber.UriPath, OptionNumber.UriHost, OptionNumber.UriPort])
        {
            options.Remove(target);
        }

        options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(AskPath));
        foreach (byte[] segment in path)
        {
            options.Add(OptionNumber.UriPath, segment);
        }

        AddTarget(options, request);
        options.Add(DeviceOption, device);
        Span<byte> value = stackalloc byte[NumberLength + 1];
        BinaryPrimitives.WriteUInt64BigEndian(value, number);
        value[NumberLength] = request.Confirmable ? (byte)1 : (byte)0;
        options.Add(NumberOption, value);
        if (options.TryGetUInt(OptionNumber.NoResponse, out uint classes))
        {
            options.Remove(OptionNumber.NoResponse);
            options.AddUInt(NoResponseOption, classes);
        }

        link.Confirmable = true;
        return link;
    }

    /// <summary>Creates the message of a request to a device, with its target as options.</summary>
    /// <param name="request">The request.</param>
    public static CoapMessage MessageOf(CoapRequest request)
    {
        CoapMessage message = new(request.Code) { Payload = request.Payload };
        if (request.Message.HasOptions)
        {
            message.Options.AddAll(request.Options);
        }

        AddTarget(message.Options, request);
        message.Options.Remove(OptionNumber.UriHost);
        message.Options.Remove(OptionNumber.UriPort);
        return message;
    }

    /// <summary>Returns the device name of a request; empty if it has none.</summary>
    /// <param name="request">The request of the other node.</param>
    public static ReadOnlySpan<byte> DeviceOf(CoapRequest request) =>
        request.Options.TryGetValue(DeviceOption, out ReadOnlySpan<byte> name) ? name : default;

    /// <summary>Returns the number of a request.</summary>
    /// <param name="request">The request of the other node.</param>
    public static ulong NumberOf(CoapRequest request) =>
        request.Options.TryGetValue(NumberOption, out ReadOnlySpan<byte> value) && value.Length >= NumberLength
            ? BinaryPrimitives.ReadUInt64BigEndian(value)
            : 0;

    /// <summary>Unwraps the request for the device.</summary>
    /// <param name="request">The request of the other node.</param>
    public static CoapRequest Unwrap(CoapRequest request)
    {
        CoapMessage message = new(request.Code);
        bool isFirst = true;
        CoapOptionCollection options = request.Options;
        for (int i = 0; i < options.Count; i++)
        {
            switch (options.NumberAt(i))
            {
                case OptionNumber.UriPath when isFirst:
                    isFirst = false;
                    break;
                case DeviceOption or NumberOption or FailureOption:
                case OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.Observe:
                case OptionNumber.Block1 or OptionNumber.Block2 or OptionNumber.Size1 or OptionNumber.Size2:
                    // Belongs to the link.
                    break;
                case NoResponseOption:
                    message.Options.Add(OptionNumber.NoResponse, options.ValueAt(i));
                    break;
                default:
                    message.Options.Add(options.NumberAt(i), options.ValueAt(i));
                    break;
            }
        }

        CoapRequest asked = new(message)
        {
            Confirmable = !options.TryGetValue(NumberOption, out ReadOnlySpan<byte> value) || value.Length <= NumberLength
                || value[NumberLength] != 0,
        };
        if (request.IsBodyStreamed)
        {
            // Its format is among the options.
            CoapContentFormat? format = asked.Options.ContentFormat;
            asked.Content = CoapContent.Stream(request.BodyReader.AsStream(), format);
        }
        else
        {
            message.Payload = request.Payload;
        }

        return asked;
    }

    /// <summary>Wraps the response of a device for the asking node.</summary>
    /// <param name="response">The response.</param>
    public static CoapResult Wrap(CoapResponse response)
    {
        // The device need not send a response, and did not.
        if (response.IsNone)
        {
            return CoapResults.Changed();
        }

        CoapResult result = CoapResult.FromMessage(response.Message);
        foreach (int number in (ReadOnlySpan<int>)[
            FailureOption, OptionNumber.Observe, OptionNumber.Block1, OptionNumber.Block2, OptionNumber.Size2])
        {
            result.Options.Remove(number);
        }

        return result;
    }

    /// <summary>Wraps the failure of a request for the asking node.</summary>
    /// <param name="failure">The failure; null if the device is not here.</param>
    public static CoapResult Wrap(CoapDeviceException? failure)
    {
        Span<byte> value = stackalloc byte[FailureLength];
        value[0] = (byte)(failure switch
        {
            null => DeviceFault.NotHere,
            { HasMoved: true } => DeviceFault.Moved,
            CoapDeviceAsleepException => DeviceFault.Asleep,
            CoapDeviceUnreachableException => DeviceFault.Unreachable,
            _ => DeviceFault.Other,
        });
        value[1] = failure is { IsOutcomeUnknown: true } ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt64BigEndian(value[2..],
            failure is CoapDeviceAsleepException { LastHeard: { } heard } ? heard.UtcTicks : long.MinValue);
        string text = failure?.InnerException?.Message ?? failure?.Message ?? "";
        CoapResult result = CoapResults.Status(CoapCode.GatewayTimeout, text.Length > MaxText ? text[..MaxText] : text);
        result.Options.Add(FailureOption, value);
        return result;
    }

    /// <summary>Whether a response does not come from the device.</summary>
    /// <param name="response">The response of the other node.</param>
    public static bool IsFailure(CoapResponse response) => response.Options.Contains(FailureOption);

    /// <summary>Returns the failure that another node reports; null if it does not have the device.</summary>
    /// <param name="response">Its response.</param>
    /// <param name="name">The name of the device.</param>
    public static CoapDeviceException? FailureOf(CoapResponse response, string name)
    {
        response.Options.TryGetValue(FailureOption, out ReadOnlySpan<byte> value);
        DeviceFault fault = value.Length == FailureLength ? (DeviceFault)value[0] : DeviceFault.Other;
        bool isUnknown = value.Length != FailureLength || value[1] != 0;
        return fault switch
        {
            DeviceFault.NotHere => null,
            DeviceFault.Asleep => new CoapDeviceAsleepException(name, TimeOf(value[2..]), isUnknown),
            DeviceFault.Unreachable or DeviceFault.Moved =>
                new CoapDeviceUnreachableException(name, response.GetText(), isUnknown) { HasMoved = fault == DeviceFault.Moved },
            _ => new CoapDeviceException(name, CoapForeignText.LineOf(response.GetText())) { IsOutcomeUnknown = isUnknown },
        };
    }

    /// <summary>Creates the question whether a node has a device.</summary>
    /// <param name="device">The bytes of its name.</param>
    public static CoapRequest Find(ReadOnlySpan<byte> device)
    {
        CoapRequest request = new(CoapMethod.Get, $"/{FindPath}");
        request.Options.Add(DeviceOption, device);
        return request;
    }

    /// <summary>Creates the request to forget a device.</summary>
    /// <param name="device">The bytes of its name.</param>
    public static CoapRequest Forget(ReadOnlySpan<byte> device)
    {
        CoapRequest request = new(CoapMethod.Delete, $"/{FindPath}");
        request.Options.Add(DeviceOption, device);
        return request;
    }

    /// <summary>Creates the request to observe a device, without the resource.</summary>
    /// <param name="device">The bytes of its name; empty for a request that only names the path.</param>
    /// <param name="id">The identifier of the resource.</param>
    public static CoapRequest Observe(ReadOnlySpan<byte> device, string id)
    {
        CoapMessage message = new(CoapCode.Fetch) { Type = CoapMessageType.Confirmable };
        message.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(ObservedResource.Path));
        message.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(id));
        if (!device.IsEmpty)
        {
            message.Options.Add(DeviceOption, device);
        }

        return new CoapRequest(message);
    }

    /// <summary>Wraps the status of a device for the asking node.</summary>
    /// <param name="status">The status.</param>
    public static CoapResult Wrap(CoapDeviceStatus status)
    {
        byte[] bytes = new byte[1 + sizeof(long)];
        bytes[0] = (byte)status.Presence;
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(1), status.LastHeard?.UtcTicks ?? long.MinValue);
        return new CoapResult(CoapCode.Content, bytes, CoapContentFormat.OctetStream);
    }

    /// <summary>Reads a status; null if the node does not have the device.</summary>
    /// <param name="response">The response of the node.</param>
    /// <param name="name">The name of the device.</param>
    /// <param name="node">The node.</param>
    public static CoapDeviceStatus? StatusOf(CoapResponse response, string name, CoapNodeId node) =>
        response.Code == CoapCode.Content && response.Payload.Length == 1 + sizeof(long)
            ? new CoapDeviceStatus(name, response.Payload.Span[0] == (byte)CoapDevicePresence.Awake
                ? CoapDevicePresence.Awake
                : CoapDevicePresence.Asleep, TimeOf(response.Payload.Span[1..]), node)
            : null;

    /// <summary>Returns a time in units of 100 ns since the year 1; null for invalid bytes.</summary>
    /// <param name="bytes">Eight bytes.</param>
    public static DateTimeOffset? TimeOf(ReadOnlySpan<byte> bytes)
    {
        long time = BinaryPrimitives.ReadInt64BigEndian(bytes);
        return time < 0 || time > DateTimeOffset.MaxValue.UtcTicks ? null : new DateTimeOffset(time, TimeSpan.Zero);
    }

    private static void AddTarget(CoapOptionCollection options, CoapRequest request)
    {
        if (request.UriText is { } text)
        {
            CoapUri uri = text.StartsWith('/') ? CoapUri.Parse($"coap://[::1]{text}") : CoapUri.Parse(text);
            uri.AddTo(options);
            options.Remove(OptionNumber.UriHost);
            options.Remove(OptionNumber.UriPort);
        }
    }
}
