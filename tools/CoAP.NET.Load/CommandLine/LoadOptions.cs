using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.CommandLine;

internal sealed class LoadOptions
{
    private static readonly LoadPlan s_defaults = new() { Uri = "" };

    private readonly Argument<string> _uri = new("URI")
    {
        Description = "The resource to request, such as coap://127.0.0.1/hello; coap, coaps, coap+tcp, coaps+tcp, coap+ws or coaps+ws. "
            + "Default scheme: coap://."
    };

    private readonly Option<int[]> _peers = new("--peers")
    {
        Description = "How many peers the server sees; a list such as 10,100,1000 makes a run for each. Default 16.",
        HelpName = "N,...",
        CustomParser = ParsePeers,
        DefaultValueFactory = static _ => [s_defaults.Peers],
    };

    private readonly Option<string> _loop = new("--loop")
    {
        Description = "closed: each peer sends its next request as soon as it has an answer; open: requests are due at --rate, whatever "
            + "the server does; observe: each peer observes the resource, which changes at --rate, or by others. Default closed.",
        HelpName = "LOOP",
        DefaultValueFactory = static _ => "closed",
    };

    private readonly Option<double> _rate = Number("--rate",
        "Requests per second of an open loop; changes per second (PUT of a growing number) of an observing one.", s_defaults.Rate);
    private readonly Option<bool> _poisson = new("--poisson")
    {
        Description = "The times between requests of an open loop vary as those of independent users do."
    };
    private readonly Option<TimeSpan?> _seconds = DurationParser.Option("--seconds", "How long to measure. Default 10s.");
    private readonly Option<TimeSpan?> _warmUp = DurationParser.Option("--warm-up",
        "The time before the measurement that does not count. Default 3s.");
    private readonly Option<TimeSpan?> _ramp = DurationParser.Option("--ramp",
        "The time before the warm-up over which the peers start. Default 1s.");
    private readonly Option<TimeSpan?> _timeout = DurationParser.PositiveOption("--timeout",
        "The time after which an unanswered request counts as lost. Default 5s.", "-B");
    private readonly Option<int?> _retransmissions = CommandExtensions.Number("--max-retransmit",
        "Number of retransmissions of an unacknowledged Confirmable request (MAX_RETRANSMIT). Default 0.", 0, 20);
    private readonly Option<CoapRetransmissionAlgorithm?> _timing = RetransmissionTimingOption.Create();
    private readonly ConnectionOptions _connection = new();
    private readonly Option<bool> _non = new("--non", "-N") { Description = "Send Non-confirmable messages." };
    private readonly Option<string> _method = new("--method")
    {
        Description = "The method, by name or code. Default GET.",
        HelpName = "METHOD",
        DefaultValueFactory = static _ => s_defaults.Method
    };
    private readonly Option<string?> _payload = new("--payload", "-e") { Description = "Send this text.", HelpName = "TEXT" };
    private readonly Option<int?> _payloadBytes = new("--payload-bytes")
    {
        Description = "Send this number of zeros instead.",
        HelpName = "N"
    };
    private readonly Option<int> _depth = Whole("--depth", "Concurrent requests per peer. Default 1.", s_defaults.Depth);
    private readonly Option<string?> _bind = new("--bind", "-a")
    {
        Description = "Send from this address of this machine. The first peer has it, and the others those after it. Default for a target "
            + "in 127.0.0.0/8: 127.1.0.1.",
        HelpName = "ADDRESS"
    };
    private readonly Option<string?> _expect = new("--expect")
    {
        Description = "The payload that every answer must have; without it any 2.xx is correct.",
        HelpName = "TEXT"
    };
    private readonly Option<int> _seed = Whole("--seed", "The seed of all random choices. Default 1.", s_defaults.Seed);
    private readonly Option<int?> _serverProcess = new("--server-process")
    {
        Description = "The process id of a server on this machine, for its processor time and memory (Linux).",
        HelpName = "PID"
    };

    public LoadOptions()
    {
        _loop.AcceptOnlyFromAmong("closed", "open", "observe");
        _method.CompletionSources.Add("GET", "POST", "PUT", "DELETE", "FETCH", "PATCH", "IPATCH");
    }

    public void AddTo(GroupedHelpCommand command)
    {
        command.Add(_uri);
        command.AddGroup("Load", _peers, _loop, _rate, _poisson, _depth, _seconds, _warmUp, _ramp, _seed);
        command.AddGroup(HelpGroup.Request, _method, _payload, _payloadBytes, _non, _expect, _timeout);
        command.AddGroup(HelpGroup.Network, _bind, _retransmissions, _timing);
        _connection.AddSecurityTo(command);
        command.AddGroup("Report", _serverProcess);
    }

    /// <summary>Whether the command line has options for keys, certificates or trust.</summary>
    public bool HasSecurity(ParseResult parsed) => _connection.HasSecurity(parsed);

    /// <summary>Creates a plan for each number of peers.</summary>
    public IReadOnlyList<LoadPlan> ToPlans(ParseResult parsed)
    {
        string uri = parsed.GetRequiredValue(_uri);
        LoadPlan plan = new()
        {
            Uri = uri.Contains("://", StringComparison.Ordinal) ? uri : $"coap://{uri}",
            Loop = Enum.Parse<LoadPacing>(parsed.GetRequiredValue(_loop), ignoreCase: true),
            Rate = parsed.GetValue(_rate),
            Poisson = parsed.GetValue(_poisson),
            Seconds = parsed.GetValue(_seconds)?.TotalSeconds ?? s_defaults.Seconds,
            WarmUpSeconds = parsed.GetValue(_warmUp)?.TotalSeconds ?? s_defaults.WarmUpSeconds,
            RampSeconds = parsed.GetValue(_ramp)?.TotalSeconds ?? s_defaults.RampSeconds,
            TimeoutSeconds = parsed.GetValue(_timeout)?.TotalSeconds ?? s_defaults.TimeoutSeconds,
            Retransmissions = parsed.GetValue(_retransmissions) ?? s_defaults.Retransmissions,
            RetransmissionTiming = parsed.GetValue(_timing) ?? s_defaults.RetransmissionTiming,
            Confirmable = !parsed.GetValue(_non),
            Method = parsed.GetRequiredValue(_method),
            Payload = parsed.GetValue(_payload),
            PayloadBytes = parsed.GetValue(_payloadBytes),
            Depth = parsed.GetValue(_depth),
            FirstSource = parsed.GetValue(_bind),
            Expected = parsed.GetValue(_expect),
            Seed = parsed.GetValue(_seed),
            ServerProcess = parsed.GetValue(_serverProcess),
        };
        string scheme = CoapUri.TryParse(plan.Uri, out CoapUri? target, out _) ? target.Scheme : "";
        plan = plan with { Secure = endpoint => _connection.ApplySecurity(parsed, scheme, endpoint) };
        return [.. parsed.GetRequiredValue(_peers).Select(peers => plan with { Peers = peers })];
    }

    /// <summary>
    /// Returns the option that would have no effect; null for none. Ignoring it silently would make the figures misleading.
    /// </summary>
    public static string? FaultOf(LoadPlan plan) => plan.Loop switch
    {
        _ when plan.RetransmissionTiming != CoapRetransmissionAlgorithm.Default && (plan.Retransmissions == 0 || !plan.Confirmable) =>
            "--retransmission-timing is for retransmissions: add --max-retransmit, and leave out --non.",
        LoadPacing.Closed when plan.Rate > 0 => "A closed loop has no --rate, as its server sets the pace: add --loop open.",
        LoadPacing.Closed or LoadPacing.Observe when plan.Poisson => "--poisson is for --loop open.",
        LoadPacing.Observe when plan.Depth > 1 => "--depth is for requests: an observing peer has one registration.",
        LoadPacing.Observe
            when plan.Rate > 0 && plan.Expected is not null => "--expect does not go with changes at --rate, which are numbers.",
        _ => null,
    };

    private static Option<double> Number(string name, string description, double otherwise) => new(name)
    {
        Description = description,
        HelpName = "N",
        DefaultValueFactory = _ => otherwise,

        // A decimal point, independent of the culture.
        CustomParser = static result =>
            double.TryParse(result.Tokens[0].Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
                ? value
                : Refuse<double>(result),
    };

    private static Option<int> Whole(string name, string description, int otherwise) =>
        new(name) { Description = description, HelpName = "N", DefaultValueFactory = _ => otherwise };

    private static int[] ParsePeers(ArgumentResult result)
    {
        List<int> levels = [];
        foreach (string text in result.Tokens.SelectMany(static token => token.Value.Split(',')))
        {
            if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int peers))
            {
                return Refuse<int[]>(result)!;
            }

            levels.Add(peers);
        }

        return [.. levels];
    }

    private static T? Refuse<T>(ArgumentResult result)
    {
        string name = result.Parent is OptionResult option ? option.Option.Name : result.Argument.Name;
        result.AddError($"{name}: '{string.Join(' ', result.Tokens.Select(static token => token.Value))}' is not a number.");
        return default;
    }
}
