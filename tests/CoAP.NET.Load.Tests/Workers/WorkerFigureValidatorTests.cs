using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class WorkerFigureValidatorTests
{
    public static TheoryData<string> Broken =>
        ["seconds", "nan", "count", "lost", "changes", "converged", "errors", "times", "pair", "step", "changeTimes", "many"];

    [Theory]
    [MemberData(nameof(Broken))]
    public void An_impossible_result_is_refused(string what)
    {
        LoadResult good = Results.Of(Plans.Closed, 3);
        LoadResult bad = what switch
        {
            "seconds" => good with { Seconds = -1 },
            "nan" => good with { Seconds = double.NaN },
            "count" => good with { Count = long.MaxValue },
            "lost" => good with { Lost = -1 },
            "changes" => good with { Changes = long.MinValue },
            "converged" => good with { Converged = -1 },
            "errors" => good with { Errors = new Dictionary<string, long> { ["x"] = long.MaxValue } },
            "times" => good with { Times = [null!] },
            "pair" => good with { Times = [[1, 2, 3]] },
            "step" => good with { Times = [[-1, 2]] },
            "changeTimes" => good with { ChangeTimes = [[1]] },
            _ => good with { Times = [.. Enumerable.Range(0, 10_001).Select(i => new long[] { i, 1 })] },
        };
        Assert.Equal(WorkerProtocolErrorCodes.Protocol,
            Assert.Throws<DistributedRunException>(() => WorkerFigureValidator.Clean(bad)).Kind);
    }

    [Fact]
    public void A_valid_result_is_kept_unchanged_except_for_control_characters_in_texts()
    {
        LoadResult result = Results.Of(Plans.Closed, 3) with
        {
            Workers = 99,
            Times = [[0, 0], [1, 3]],
            Errors = new Dictionary<string, long> { ["5.03"] = 1, ["a\nb"] = 2, ["a\tb"] = 3 }
        };
        LoadResult clean = WorkerFigureValidator.Clean(result);
        Assert.Equal(new Dictionary<string, long> { ["5.03"] = 1, ["a b"] = 5 }, clean.Errors);
        Assert.Equal(result with { Workers = 1, Errors = clean.Errors }, clean);
    }

    [Fact]
    public void Values_of_a_progress_message_are_limited_to_their_range()
    {
        LoadProgress clean = WorkerFigureValidator.Clean(
            new LoadProgress("\u001b[2J", default, default, int.MaxValue, double.NaN, -1, double.PositiveInfinity, long.MaxValue, -5));
        Assert.Equal((" [2J", 1_000_000, 0.0, 0.0, 0.0, 0), (clean.Phase, clean.Peers, clean.PerSecond, clean.P50, clean.P99, clean.Lost));
        Assert.Equal(2 * clean.Errors, ProgressTotals.Of([(clean, true), (clean, true)], 0).Errors);
        Assert.Equal("", WorkerFigureValidator.Clean(default(LoadProgress)).Phase);
    }
}
