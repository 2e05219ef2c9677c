namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>
/// Everything that a run with proxies depends on. As text it has a line for the plan and one for each step, and can be read again, so that
/// one that failed can be kept with some of its steps taken out.
/// </summary>
/// <param name="Plan">The proxies and the network.</param>
/// <param name="Steps">What happens, one after the other.</param>
internal sealed record ProxyScenario(ProxyPlan Plan, IReadOnlyList<ProxyStep> Steps)
{
    private const string PlanWord = "proxies";

    /// <summary>Whether a text is one of these scenarios.</summary>
    public static bool IsOne(string text) => ScenarioText.IsOne(PlanWord, text);

    /// <exception cref="FormatException">The text is none of these scenarios.</exception>
    public static ProxyScenario Parse(string text)
    {
        (ProxyPlan plan, IReadOnlyList<ProxyStep> steps) = ScenarioText.Read<ProxyPlan, ProxyStep>(PlanWord, text);
        return new ProxyScenario(plan, steps);
    }

    /// <summary>Makes what a seed stands for.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="steps">How many steps.</param>
    public static ProxyScenario Make(ulong seed, int steps)
    {
        Dice dice = new(seed);
        ProxyPlan plan = new()
        {
            Seed = seed,
            Proxies = dice.Pick(1, 1, 1, 2, 2, 3),
            Streams = dice.Chance(30),
            Loss = dice.Between(0, 150),
            Duplication = dice.Between(0, 100),
            Reordering = dice.Between(0, 200),
            MaxDelay = dice.Between(5, 120),
        };
        List<ProxyStep> made = [];
        for (int i = 0; i < steps; i++)
        {
            made.Add(MakeStep(dice, plan, i + 1));
        }

        return new ProxyScenario(plan, made);
    }

    public override string ToString() => ScenarioText.Write(PlanWord, Plan, Steps);

    private static ProxyStep MakeStep(Dice dice, ProxyPlan plan, int id)
    {
        ProxyStepKind kind = dice.Between(0, 100) switch
        {
            < 30 => ProxyStepKind.Ask,
            < 40 => ProxyStepKind.AskKept,
            < 44 => ProxyStepKind.AskOwn,
            < 47 => ProxyStepKind.AskWho,
            < 50 => ProxyStepKind.AskError,
            < 64 => ProxyStepKind.Observe,
            < 67 => ProxyStepKind.Unobserve,
            < 76 => ProxyStepKind.Change,
            < 80 => ProxyStepKind.ChangeKept,
            < 82 => ProxyStepKind.End,
            < 84 => ProxyStepKind.Return,
            < 87 => ProxyStepKind.RestartOrigin,
            < 90 => ProxyStepKind.RestartProxy,
            < 92 => ProxyStepKind.RestartClient,
            < 94 => ProxyStepKind.CutClient,
            < 96 => ProxyStepKind.CutProxy,
            _ => ProxyStepKind.Heal,
        };
        CoapMethod method = kind == ProxyStepKind.Ask ? dice.Pick(CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Fetch)
            : CoapMethod.Get;
        return new ProxyStep
        {
            Kind = kind,
            Id = id,
            Client = dice.Between(0, ProxyNodes.Clients),
            Origin = dice.Between(0, ProxyOrigin.Count),
            Proxy = dice.Between(0, plan.Proxies),
            Resource = dice.Between(0, ProxyOrigin.States),
            Way = dice.Pick(ProxyWay.Uri, ProxyWay.Uri, ProxyWay.Scheme, ProxyWay.Reverse, ProxyWay.Reverse, ProxyWay.Mixed),
            Scheme = kind == ProxyStepKind.AskOwn ? OriginScheme.Secured
                : dice.Pick(OriginScheme.Datagrams, OriginScheme.Datagrams, OriginScheme.Stream),
            Method = method,
            Size = method == CoapMethod.Get ? 0 : dice.Pick(1, 1, 100, 100, 3000, 3000, 20_000, dice.Chance(20) ? 100_000 : 1000),
            HopLimit = kind == ProxyStepKind.Ask && dice.Chance(20) ? dice.Between(1, 5) : 0,
            Pause = dice.Between(0, 6000),
        };
    }
}
