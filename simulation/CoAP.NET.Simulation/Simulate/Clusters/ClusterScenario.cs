namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Everything that a run with a cluster depends on. As text it has a line for the plan and one for each step, and can be read again, so
/// that one that failed can be kept with some of its steps taken out.
/// </summary>
/// <param name="Plan">The nodes, the devices and what lies between them.</param>
/// <param name="Steps">What happens, one after the other.</param>
internal sealed record ClusterScenario(ClusterPlan Plan, IReadOnlyList<ClusterStep> Steps)
{
    private const string PlanWord = "cluster";
    private const int Hour = 3_600_000;

    // How often each kind is drawn, of the sum of all.
    private static readonly (ClusterStepKind Kind, int Weight)[] s_weights =
    [
        (ClusterStepKind.Ask, 110),
        (ClusterStepKind.Count, 210),
        (ClusterStepKind.Read, 40),
        (ClusterStepKind.Observe, 60),
        (ClusterStepKind.Unobserve, 20),
        (ClusterStepKind.Change, 100),
        (ClusterStepKind.AskDevice, 40),
        (ClusterStepKind.Queue, 50),
        (ClusterStepKind.Oscore, 30),
        (ClusterStepKind.Withdraw, 8),
        (ClusterStepKind.RadioOff, 20),
        (ClusterStepKind.Rebind, 30),
        (ClusterStepKind.Kill, 45),
        (ClusterStepKind.Vanish, 18),
        (ClusterStepKind.Start, 65),
        (ClusterStepKind.Leave, 28),
        (ClusterStepKind.Sleep, 28),
        (ClusterStepKind.Twin, 8),
        (ClusterStepKind.CutLink, 14),
        (ClusterStepKind.CutOneWay, 10),
        (ClusterStepKind.Deafen, 8),
        (ClusterStepKind.Disturb, 8),
        (ClusterStepKind.CutStore, 18),
        (ClusterStepKind.StoreAway, 14),
        (ClusterStepKind.LoseAnswers, 10),
        (ClusterStepKind.StoreSlow, 6),
        (ClusterStepKind.StoreFull, 6),
        (ClusterStepKind.StoreReadOnly, 6),
        (ClusterStepKind.StoreTorn, 6),
        (ClusterStepKind.StoreDoubled, 6),
        (ClusterStepKind.StoreLag, 6),
        (ClusterStepKind.GoBack, 8),
        (ClusterStepKind.Promote, 6),
        (ClusterStepKind.ClockJump, 10),
        (ClusterStepKind.Forget, 20),
        (ClusterStepKind.Replay, 30),
    ];

    /// <summary>Whether a text is one of these scenarios.</summary>
    public static bool IsOne(string text) => ScenarioText.IsOne(PlanWord, text);

    /// <exception cref="FormatException">The text is none of these scenarios.</exception>
    public static ClusterScenario Parse(string text)
    {
        (ClusterPlan plan, IReadOnlyList<ClusterStep> steps) = ScenarioText.Read<ClusterPlan, ClusterStep>(PlanWord, text);
        return new ClusterScenario(plan, steps);
    }

    /// <summary>Reads one scenario after the other.</summary>
    /// <exception cref="FormatException">One of them is none of these scenarios.</exception>
    public static IReadOnlyList<ClusterScenario> ParseAll(string text) =>
        [.. text.Split($"\n{PlanWord} ").Select((one, index) => Parse(index == 0 ? one : $"{PlanWord} {one}"))];

    /// <summary>Makes what a seed stands for.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="steps">How many steps.</param>
    public static ClusterScenario Make(ulong seed, int steps)
    {
        Dice dice = new(seed);
        int devices = dice.Between(2, 5);
        ClusterPlan plan = new()
        {
            Seed = seed,
            Nodes = dice.Pick(2, 2, 3, 3, 3, 4),
            Devices = devices,
            Plain = dice.Chance(30) ? 1 : 0,
            Balancer = dice.Pick(BalancerKind.Sticky, BalancerKind.Spray, BalancerKind.Lag),
            Loss = dice.Pick(0, dice.Between(0, 40)),
            Duplication = dice.Between(0, 100),
            Reordering = dice.Between(0, 200),
            MaxDelay = dice.Between(5, 120),
            StoreDelay = dice.Pick(1, 5, dice.Between(1, 100)),
            ClockSpread = dice.Pick(0, dice.Between(0, 30)),
            ClockDrift = dice.Pick(0, dice.Between(0, 1000)),
            Mixed = dice.Chance(15) ? 1 : 0,
        };
        List<ClusterStep> made = [];
        for (int i = 0; i < steps; i++)
        {
            made.Add(MakeStep(dice, plan, i + 1));
        }

        return new ClusterScenario(plan, made);
    }

    public override string ToString() => ScenarioText.Write(PlanWord, Plan, Steps);

    /// <summary>The same text with what each step does, in words.</summary>
    public string Describe() => ScenarioText.Write(PlanWord, Plan, Steps, step => step.Describe());

    private static ClusterStep MakeStep(Dice dice, ClusterPlan plan, int id)
    {
        ClusterStepKind kind = Draw(dice);
        return new ClusterStep
        {
            Kind = kind,
            Id = id,
            Device = dice.Between(0, plan.Devices),
            Node = dice.Between(0, plan.Nodes),
            Resource = kind == ClusterStepKind.Replay ? dice.Between(0, 400) : dice.Between(0, ClusterWorld.Resources),
            Time = TimeOf(kind, dice),
            Pause = dice.Chance(40) ? dice.Between(0, 200) : dice.Between(0, 5000),
        };
    }

    private static ClusterStepKind Draw(Dice dice)
    {
        int rest = dice.Between(0, s_weights.Sum(one => one.Weight));
        foreach ((ClusterStepKind kind, int weight) in s_weights)
        {
            rest -= weight;
            if (rest < 0)
            {
                return kind;
            }
        }

        throw new InvalidOperationException("The weights do not add up.");
    }

    private static int TimeOf(ClusterStepKind kind, Dice dice) => kind switch
    {
        ClusterStepKind.Count => dice.Chance(20) ? dice.Between(0, 3000) : 0,
        ClusterStepKind.Sleep => dice.Chance(30) ? dice.Pick(5000, 30_000, 90_000) : dice.Between(1000, 15_000),
        ClusterStepKind.Twin => dice.Pick(dice.Between(5000, 15_000), 30_000),
        ClusterStepKind.GoBack or ClusterStepKind.Promote => dice.Between(1000, 15_000),
        ClusterStepKind.ClockJump => dice.Pick(-Hour, Hour, -5000, 5000),
        ClusterStepKind.StoreAway => dice.Chance(15) ? 60_000 : dice.Between(500, 12_000),
        ClusterStepKind.CutStore or ClusterStepKind.LoseAnswers or ClusterStepKind.RadioOff or ClusterStepKind.CutLink
            or ClusterStepKind.CutOneWay or ClusterStepKind.Deafen or ClusterStepKind.Disturb or ClusterStepKind.StoreSlow
            or ClusterStepKind.StoreFull or ClusterStepKind.StoreReadOnly or ClusterStepKind.StoreTorn or ClusterStepKind.StoreDoubled
            or ClusterStepKind.StoreLag => dice.Between(500, 12_000),
        _ => 0,
    };
}
