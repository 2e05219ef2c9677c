namespace CoAP.NET.Cli.Bench.Tests;

public sealed class ObserveLoopErrorTests
{
    [Fact]
    public async Task A_resource_that_goes_back_in_number_is_out_of_order_at_each_observer()
    {
        await using NumberServer server = await NumberServer.StartAsync("1000000", _ => "7");
        LoadResult result = await server.RunAsync(server.Plan(rate: 40) with { TimeoutSeconds = 0.5 });
        Assert.Equal(12, result.Errors["out of order"]);
        Assert.Equal((0, 0), (result.Converged, result.Histogram().Count));
    }

    [Fact]
    public async Task A_state_that_is_no_number_is_a_wrong_payload()
    {
        await using NumberServer server = await NumberServer.StartAsync("1", _ => "much");
        LoadResult result = await server.RunAsync(server.Plan(rate: 40) with { TimeoutSeconds = 0.5 });
        Assert.True(result.Errors["wrong payload"] >= 12);
        Assert.Equal(0, result.Converged);
    }

    [Theory]
    [InlineData("/nothing", "register: 4.04")]
    [InlineData("/plain", "register: not observable")]
    public async Task Observers_that_cannot_register_are_errors(string path, string kind)
    {
        await using NumberServer server = await NumberServer.StartAsync("1", null);
        LoadPlan plan = server.Plan(rate: 0);
        LoadResult result = await server.RunAsync(plan with { Uri = plan.Uri.Replace("/number", path, StringComparison.Ordinal) });
        Assert.Equal(new Dictionary<string, long> { [kind] = 12 }, result.Errors);
        Assert.Equal((0, 0.0), (result.Count, result.PerSecond));
    }

    [Fact]
    public async Task Changes_that_the_server_refuses_are_errors_and_no_changes()
    {
        await using NumberServer server = await NumberServer.StartAsync("1", null);
        LoadResult result = await server.RunAsync(server.Plan(rate: 40));
        Assert.True(result.Errors["change: 4.05"] > 0);
        Assert.Equal((0, 12), (result.Changes, result.Converged));
    }
}
