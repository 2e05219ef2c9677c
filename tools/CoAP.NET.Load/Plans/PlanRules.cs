namespace CoAP.NET.Load.Plans;

/// <summary>Validates a plan from a command line or a coordinator.</summary>
internal static class PlanRules
{
    public const int MostPeers = 1_000_000;
    public const int MostDepth = 1000;
    public const double MostSeconds = 86_400;

    /// <summary>Returns the problem of a plan; null for none.</summary>
    public static string? FaultOf(LoadPlan plan)
    {
        if (!CoapUri.TryParse(plan.Uri, out CoapUri? uri, out string? error))
        {
            return error;
        }

        if (!Enum.IsDefined(plan.RetransmissionTiming))
        {
            return $"There is no retransmission timing {(int)plan.RetransmissionTiming}.";
        }

        if (uri.Port == 0)
        {
            return $"'{plan.Uri}' has port 0, which is not a destination.";
        }

        if (CodeOf(plan.Method) is not { } code)
        {
            return $"'{plan.Method}' is not a method: GET, POST, PUT, DELETE, FETCH, PATCH, IPATCH or a code from 0.01 to 0.31.";
        }

        if (plan.Payload is not null && plan.PayloadBytes is not null)
        {
            return "Give a payload as text or by its size, not both.";
        }

        if (code == CoapCode.Fetch && plan.Payload is null && plan.PayloadBytes is null)
        {
            return "FETCH asks by its payload (RFC 8132 section 2): give one.";
        }

        if (plan.Loop == LoadPacing.Observe && code != CoapCode.Get && code != CoapCode.Fetch)
        {
            return "Observing needs GET (RFC 7641) or FETCH (RFC 8132).";
        }

        return plan.Loop == LoadPacing.Open && plan.Rate <= 0 ? "An open loop needs a rate above 0." : FaultOfNumbers(plan);
    }

    /// <summary>Returns the code of a method, by its name or as <c>c.dd</c>; null for none.</summary>
    public static CoapCode? CodeOf(string method)
    {
        if (!char.IsAsciiDigit(method.FirstOrDefault()) && Enum.TryParse(method, ignoreCase: true, out CoapMethod named)
            && Enum.IsDefined(named))
        {
            return named;
        }

        try
        {
            return CoapCode.Parse(method) is { IsRequest: true } code ? code : null;
        }
        catch (FormatException)
        {
            return null;
        }
    }

    private static string? FaultOfNumbers(LoadPlan plan) =>
        Outside("peers", plan.Peers, 1, MostPeers)
        ?? Outside("the first peer", plan.FirstPeer, 0, int.MaxValue - MostPeers)
        ?? Outside("the depth", plan.Depth, 1, MostDepth)
        ?? Outside("the rate", plan.Rate, 0, 1e8)
        ?? Outside("the seconds to measure", plan.Seconds, 0.01, MostSeconds)
        ?? Outside("the seconds of the warm-up", plan.WarmUpSeconds, 0, MostSeconds)
        ?? Outside("the seconds of the ramp", plan.RampSeconds, 0, MostSeconds)
        ?? Outside("the timeout of a request in seconds", plan.TimeoutSeconds, 0.01, 3600)
        ?? Outside("retransmissions", plan.Retransmissions, 0, 20)
        ?? Outside("the bytes of the payload", plan.PayloadBytes ?? 0, 0, 64 << 20);

    // NaN is outside of every range.
    private static string? Outside(string what, double value, double least, double most) =>
        value >= least && value <= most ? null : $"{what} must be from {least:0.##} to {most:0.##}; {value} is not.";
}
