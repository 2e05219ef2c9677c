namespace CoAP.NET.Benchmarks;

/// <summary>What a server is asked for.</summary>
public enum ServerWork
{
    /// <summary>GET, Confirmable on datagrams: the handler makes a text and its result.</summary>
    Get,

    /// <summary>The same; the handler gives one result object for all requests, so that what is allocated is the library's own.</summary>
    GetKept,

    /// <summary>The same by a handler that awaits what is complete already.</summary>
    GetAwaited,

    /// <summary>A GET of a route with a parameter that the handler reads.</summary>
    GetParam,

    /// <summary>GET, Non-confirmable.</summary>
    GetNon,

    /// <summary>POST of 64 bytes that the handler looks at.</summary>
    Post,

    /// <summary>A path that is not there: 4.04.</summary>
    NotFound,

    /// <summary>An Empty Confirmable message that is answered by a Reset; on streams 7.02 Ping and Pong.</summary>
    Ping,

    /// <summary>A request that was answered before: the answer comes from the duplicate memory.</summary>
    Duplicate,
}

/// <summary>A wire format and what is asked for.</summary>
/// <param name="Format">The wire format.</param>
/// <param name="Work">What is asked for.</param>
public sealed record ServerCase(WireFormat Format, ServerWork Work)
{
    /// <summary>All that there are: connections know neither types nor duplicates.</summary>
    public static IEnumerable<ServerCase> All =>
        from format in Enum.GetValues<WireFormat>()
        from work in Enum.GetValues<ServerWork>()
        where format == WireFormat.Datagram || work is not (ServerWork.GetNon or ServerWork.Duplicate)
        select new ServerCase(format, work);

    /// <summary>The name in the table.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Format} {Work}";

    /// <summary>Maps the resources.</summary>
    internal static void Map(CoapServer server)
    {
        CoapResult kept = CoapResults.Text("21.5 degrees");
        server.MapGet("/test/temperature", _ => CoapResults.Text("21.5 degrees"));
        server.MapGet("/test/kept", _ => kept);
        server.MapGet("/test/awaiting", async (_, _) =>
        {
            await Task.CompletedTask;
            return CoapResults.Text("21.5 degrees");
        });
        server.MapGet("/devices/{id}/temperature",
            request => request.Route["id"] == "4711" ? CoapResults.Text("21.5 degrees") : CoapResults.NotFound());
        server.MapPost("/test/log", request => request.Payload.Length == 64 ? CoapResults.Changed() : CoapResults.BadRequest());
    }

    /// <summary>The bytes of the request.</summary>
    internal byte[] Request()
    {
        if (Work == ServerWork.Ping && Format == WireFormat.Datagram)
        {
            return [0x40, 0x00, 0x00, 0x00];
        }

        CoapMessage request = new(Work switch
        {
            ServerWork.Post => CoapCode.Post,
            ServerWork.Ping => CoapCode.Ping,
            _ => CoapCode.Get,
        })
        {
            Type = Work == ServerWork.GetNon ? CoapMessageType.NonConfirmable : CoapMessageType.Confirmable,
            Token = new CoapToken([0x4a, 0x11, 0xf0, 0x0d]),
        };
        string path = Work switch
        {
            ServerWork.GetKept => "test/kept",
            ServerWork.GetAwaited => "test/awaiting",
            ServerWork.GetParam => "devices/4711/temperature",
            ServerWork.Post => "test/log",
            ServerWork.NotFound => "test/nothing",
            ServerWork.Ping => "",
            _ => "test/temperature",
        };
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            request.Options.Add(new UriPathOption(segment));
        }

        request.Payload = Work == ServerWork.Post ? new byte[64] : default;
        return Format.Serializer().Serialize(request);
    }

    /// <summary>Whether an answer is the right one.</summary>
    internal bool IsAnsweredBy(CoapMessage answer) => Work switch
    {
        ServerWork.Ping when Format == WireFormat.Datagram => answer is { Type: CoapMessageType.Reset, IsEmpty: true },
        ServerWork.Ping => answer.Code == CoapCode.Pong,
        ServerWork.Post => answer.Code == CoapCode.Changed && answer.Payload.IsEmpty,
        ServerWork.NotFound => answer.Code == CoapCode.NotFound,
        _ => answer.Code == CoapCode.Content && answer.Payload.Span.SequenceEqual("21.5 degrees"u8),
    };
}
