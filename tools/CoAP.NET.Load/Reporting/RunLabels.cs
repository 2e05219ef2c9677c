using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Reporting;

internal static class RunLabels
{
    /// <summary>Describes a run without its level of peers: runs with the same description are points of one line.</summary>
    public static string Kind(LoadPlan plan)
    {
        string rate = plan.Rate > 0 ? plan.Loop switch
        {
            LoadPacing.Open => $" {FigureFormatter.Number(plan.Rate)} a second{(plan.Poisson ? ", at random" : "")}",
            LoadPacing.Observe => $", {FigureFormatter.Number(plan.Rate)} changes a second",
            _ => "",
        }
        : "";
        string depth = plan.Depth > 1 ? $", {plan.Depth} at a time" : "";
        string type = plan.Confirmable ? "" : ", Non-confirmable";
        return $"{Loop(plan.Loop)}{rate}{depth}{type}: {plan.Method} {plan.Uri}";
    }

    public static string Peers(LoadPlan plan) => $"{FigureFormatter.Number(plan.Peers)} peer{(plan.Peers == 1 ? "" : "s")}";

    public static string Loop(LoadPacing loop) => loop switch
    {
        LoadPacing.Closed => "closed",
        LoadPacing.Open => "open",
        _ => "observe",
    };

    /// <summary>Returns the names of all runs, short but different: without the common parts.</summary>
    public static IReadOnlyList<string> Of(IReadOnlyList<LoadResult> runs)
    {
        bool isOneKind = runs.Select(static run => Kind(run.Plan)).Distinct().Count() <= 1;
        string[] names = [.. runs.Select(run => $"{Peers(run.Plan)}{(isOneKind ? "" : ", " + Kind(run.Plan))}")];
        return [.. names.Select((name, i) => names.Count(other => other == name) > 1 ? $"run {i + 1}: {name}" : name)];
    }

    /// <summary>Describes the counted events of runs.</summary>
    public static string Counted(IEnumerable<LoadResult> runs)
    {
        bool[] observing = [.. runs.Select(static run => run.Plan.Loop == LoadPacing.Observe).Distinct()];
        return observing switch { [true] => "notifications", [true, false] or [false, true] => "answers or notifications", _ => "answers" };
    }
}
