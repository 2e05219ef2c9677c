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
        };
        List<ClusterStep> made = [];
        for (int i = 0; i < steps; i++)
        {
            made.Add(MakeStep(dice, plan, i + 1));
        }

        return new ClusterScenario(plan, made);
    }

    public override string ToString() => ScenarioText.Write(PlanWord, Plan, Steps);

    private static ClusterStep MakeStep(Dice dice, ClusterPlan plan, int id)
    {
        ClusterStepKind kind = dice.Between(0, 100) switch
        {
            < 14 => ClusterStepKind.Ask,
            < 36 => ClusterStepKind.Count,
            < 42 => ClusterStepKind.Observe,
            < 44 => ClusterStepKind.Unobserve,
            < 54 => ClusterStepKind.Change,
            < 58 => ClusterStepKind.AskDevice,
            < 63 => ClusterStepKind.Queue,
            < 65 => ClusterStepKind.RadioOff,
            < 68 => ClusterStepKind.Rebind,
            < 73 => ClusterStepKind.Kill,
            < 75 => ClusterStepKind.Vanish,
            < 81 => ClusterStepKind.Start,
            < 84 => ClusterStepKind.Leave,
            < 87 => ClusterStepKind.Sleep,
            < 89 => ClusterStepKind.CutLink,
            < 91 => ClusterStepKind.CutStore,
            < 93 => ClusterStepKind.StoreAway,
            < 94 => ClusterStepKind.LoseAnswers,
            < 96 => ClusterStepKind.Forget,
            < 97 => ClusterStepKind.GoBack,
            _ => ClusterStepKind.Replay,
        };
        return new ClusterStep
        {
            Kind = kind,
            Id = id,
            Device = dice.Between(0, plan.Devices),
            Node = dice.Between(0, plan.Nodes),
            Resource = kind == ClusterStepKind.Replay ? dice.Between(0, 400) : dice.Between(0, ClusterWorld.Resources),
            Time = kind switch
            {
                ClusterStepKind.Count => dice.Chance(20) ? dice.Between(0, 3000) : 0,
                ClusterStepKind.Sleep or ClusterStepKind.GoBack => dice.Between(1000, 15_000),
                ClusterStepKind.StoreAway or ClusterStepKind.CutStore or ClusterStepKind.LoseAnswers or ClusterStepKind.RadioOff
                    or ClusterStepKind.CutLink => dice.Between(500, 12_000),
                _ => 0,
            },
            Pause = dice.Chance(40) ? dice.Between(0, 200) : dice.Between(0, 5000),
        };
    }
}
