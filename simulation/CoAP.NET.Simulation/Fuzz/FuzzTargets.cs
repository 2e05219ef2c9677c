namespace CoAP.NET.Simulation.Fuzz;

/// <summary>All targets.</summary>
internal static class FuzzTargets
{
    /// <summary>Their names, in the order of the table.</summary>
    public static IReadOnlyList<string> Names { get; } =
        ["datagram", "stream", "websocket", "options", "uri", "link", "cbor", "senml-json", "senml-cbor", "problem", "json", "proxy",
            "http", "oscore", "edhoc", "server", "client", "stream-server", "stream-client"];

    /// <summary>Makes a target.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="plant">A planted defect; null for none.</param>
    /// <returns>The target.</returns>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    public static FuzzTarget Make(string name, string? plant = null) => name switch
    {
        "datagram" => new DatagramTarget { Plant = plant },
        "stream" => new StreamTarget { Plant = plant },
        "websocket" => new WebSocketTarget { Plant = plant },
        "options" => new OptionsTarget { Plant = plant },
        "uri" => new UriTarget { Plant = plant },
        "link" => new LinkTarget { Plant = plant },
        "cbor" => new CborTarget { Plant = plant },
        "senml-json" => new SenmlTarget(isCbor: false) { Plant = plant },
        "senml-cbor" => new SenmlTarget(isCbor: true) { Plant = plant },
        "problem" => new ProblemTarget { Plant = plant },
        "json" => new JsonTarget { Plant = plant },
        "proxy" => new ProxyTarget { Plant = plant },
        "http" => new HttpTarget { Plant = plant },
        "oscore" => new OscoreTarget { Plant = plant },
        "edhoc" => new EdhocTarget { Plant = plant },
        "server" => new ServerTarget { Plant = plant },
        "client" => new ClientTarget { Plant = plant },
        "stream-server" => new StreamPipelineTarget(isClient: false) { Plant = plant },
        "stream-client" => new StreamPipelineTarget(isClient: true) { Plant = plant },
        _ => throw new ArgumentException($"There is no target '{name}'. Use {string.Join(", ", Names)}."),
    };
}
