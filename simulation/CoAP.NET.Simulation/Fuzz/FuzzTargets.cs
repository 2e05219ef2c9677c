namespace CoAP.NET.Simulation.Fuzz;

/// <summary>All targets.</summary>
internal static class FuzzTargets
{
    private static readonly Dictionary<string, (string Summary, Func<FuzzTarget> Make)> s_all = new()
    {
        ["datagram"] = ("messages in datagrams", () => new DatagramTarget()),
        ["stream"] = ("frames of streams", () => new StreamTarget()),
        ["websocket"] = ("messages on WebSockets", () => new WebSocketTarget()),
        ["options"] = ("typed options, option rules, block values, URIs of options", () => new OptionsTarget()),
        ["uri"] = ("URIs and references", () => new UriTarget()),
        ["link"] = ("link format", () => new LinkTarget()),
        ["cbor"] = ("CBOR, diagnostic notation, CBOR as JSON and back", () => new CborTarget()),
        ["senml-json"] = ("SenML in JSON", () => new SenmlTarget(isCbor: false)),
        ["senml-cbor"] = ("SenML in CBOR", () => new SenmlTarget(isCbor: true)),
        ["problem"] = ("problem details, lists of missing blocks", () => new ProblemTarget()),
        ["json"] = ("JSON as CBOR, merge patches, names of Content-Formats", () => new JsonTarget()),
        ["proxy"] = ("what a proxy sends on and back: options, URIs, paths, Location, hops", () => new ProxyTarget()),
        ["http"] = ("HTTP as CoAP and CoAP as HTTP, targets of RFC 8075", () => new HttpTarget()),
        ["oscore"] = ("values of the OSCORE option, forged ciphertexts, messages protected and back", () => new OscoreTarget()),
        ["edhoc"] = ("messages, plaintexts, errors and credentials of EDHOC", () => new EdhocTarget()),
        ["dtls"] = ("handshakes of DTLS with changed, lost and doubled datagrams", () => new DtlsTarget()),
        ["server"] = ("a server with the sample's resources, eight hostile sources", () => new ServerTarget()),
        ["client"] = ("a client whose requests are answered by mutated messages", () => new ClientTarget()),
        ["stream-server"] =
            ("a server with the sample's resources on a connection of mutated frames", () => new StreamPipelineTarget(isClient: false)),
        ["stream-client"] =
            ("requests over a connection that are answered by mutated frames", () => new StreamPipelineTarget(isClient: true)),
    };

    /// <summary>Their names, in the order of the table.</summary>
    public static IReadOnlyCollection<string> Names => s_all.Keys;

    /// <summary>Makes a target.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="plant">A planted defect; null for none.</param>
    /// <returns>The target.</returns>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    public static FuzzTarget Make(string name, string? plant = null)
    {
        if (!s_all.TryGetValue(name, out (string Summary, Func<FuzzTarget> Make) row))
        {
            throw new ArgumentException($"There is no target '{name}'. Use {string.Join(", ", Names)}.");
        }

        FuzzTarget target = row.Make();
        (target.Name, target.Summary, target.Plant) = (name, row.Summary, plant);
        return target;
    }
}
