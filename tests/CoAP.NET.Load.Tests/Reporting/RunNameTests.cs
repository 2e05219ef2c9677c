using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.Tests;

/// <summary>The names of runs in a report are short, and different.</summary>
public sealed class RunNameTests
{
    [Fact]
    public void Runs_of_the_same_kind_are_named_by_their_peers() =>
        Assert.Equal(["1 peer", "8 peers"], RunLabels.Of([Reports.Run(1, 100, 1), Reports.Run(8, 100, 1)]));

    [Fact]
    public void A_single_run_is_named_by_its_peers() => Assert.Equal(["8 peers"], RunLabels.Of([Reports.Run(8, 100, 1)]));

    [Fact]
    public void Runs_of_several_kinds_are_named_by_their_kinds_and_peers() => Assert.Equal(
        ["8 peers, closed: GET coap://127.0.0.1/temperature", "8 peers, open 20 a second: GET coap://127.0.0.1/temperature"],
        RunLabels.Of([Reports.Run(8, 100, 1), Reports.Run(8, 100, 1, LoadPacing.Open)]));

    [Fact]
    public void Equal_runs_are_numbered() =>
        Assert.Equal(["run 1: 8 peers", "run 2: 8 peers"], RunLabels.Of([Reports.Run(8, 100, 1), Reports.Run(8, 100, 1)]));
}
