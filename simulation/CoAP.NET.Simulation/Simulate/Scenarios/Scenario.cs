namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// Everything that a run depends on. As text it has one line for each node and step, and can be read again, so that one that failed can be
/// kept with some of its steps taken out.
/// </summary>
/// <param name="Seed">Where the chance of the network and of the endpoints begins.</param>
/// <param name="Nodes">The endpoints.</param>
/// <param name="Steps">What happens, by time.</param>
internal sealed record Scenario(ulong Seed, IReadOnlyList<NodePlan> Nodes, IReadOnlyList<Step> Steps)
{
    /// <summary>When the last step happens.</summary>
    public TimeSpan End => TimeSpan.FromMilliseconds(Steps.Count == 0 ? 0 : Steps[^1].At);

    /// <summary>Whether bytes change on the way: then nobody can say what a request asked for.</summary>
    public bool Corrupts => Steps.Any(step => step.Corruption > 0);

    /// <summary>The nodes that have to do with an answer: who is asked and, where that one forwards, who is asked by it.</summary>
    public IEnumerable<int> ServersOf(Step step) =>
        step.Kind == StepKind.Request && step.Route == SimulatedRoute.Forward ? [step.Peer, Nodes[step.Peer].ForwardsTo] : [step.Peer];

    public static Scenario Parse(string text)
    {
        ulong seed = 0;
        List<NodePlan> nodes = [];
        List<Step> steps = [];
        foreach (string line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            (string word, string rest) = line.Split(' ', 2) is [string first, string second] ? (first, second) : (line, "");
            switch (word)
            {
                case "seed":
                    seed = ulong.Parse(rest);
                    break;
                case "node":
                    nodes.Add(PlanText.Read<NodePlan>(rest));
                    break;
                case "step":
                    steps.Add(PlanText.Read<Step>(rest));
                    break;
                default:
                    throw new FormatException($"A line begins with seed, node or step, not with '{word}'.");
            }
        }

        return new Scenario(seed, nodes, steps);
    }

    public override string ToString()
    {
        StringBuilder text = new();
        text.Append($"seed {Seed}\n");
        foreach (NodePlan node in Nodes)
        {
            text.Append("node ").Append(PlanText.Write(node)).Append('\n');
        }

        foreach (Step step in Steps)
        {
            text.Append("step ").Append(PlanText.Write(step)).Append('\n');
        }

        return text.ToString();
    }
}
