using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Tests;

public sealed class ObserveLoopErrorTests
{
    [Fact]
    public async Task A_resource_whose_number_decreases_is_an_out_of_order_error_at_each_observer()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("1000000", _ => "7");
            LoadResult result = await server.RunAsync(server.Plan(rate: 40, factor) with { TimeoutSeconds = 0.5 * factor });
            Assert.Equal((0, 0), (result.Converged, result.Histogram().Count));
            Assert.InRange(result.Errors.GetValueOrDefault("out of order"), 0, 12);
            return result.Errors.GetValueOrDefault("out of order") == 12;
        });
    }

    [Fact]
    public async Task A_state_that_is_not_a_number_is_a_wrong_payload_error()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("1", _ => "much");
            LoadResult result = await server.RunAsync(server.Plan(rate: 40, factor) with { TimeoutSeconds = 0.5 * factor });
            Assert.Equal(0, result.Converged);
            return result.Errors.GetValueOrDefault("wrong payload") >= 12;
        });
    }

    [Theory]
    [InlineData("/nothing", "register: 4.04")]
    [InlineData("/plain", "register: not observable")]
    public async Task Observers_that_cannot_register_are_errors(string path, string kind)
    {
        await using NumberServer server = await NumberServer.StartAsync("1", null);
        LoadPlan plan = server.Plan(rate: 0);
        LoadResult result = await server.RunAsync(plan with { Uri = plan.Uri.Replace("/number", path) });
        Assert.Equal(new Dictionary<string, long> { [kind] = 12 }, result.Errors);
        Assert.Equal((0, 0.0), (result.Count, result.PerSecond));
    }

    [Fact]
    public async Task Changes_that_the_server_refuses_are_counted_as_errors_and_not_as_changes()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using NumberServer server = await NumberServer.StartAsync("1", null);
            LoadResult result = await server.RunAsync(server.Plan(rate: 40, factor));
            Assert.Equal((0, 12), (result.Changes, result.Converged));
            return result.Errors.GetValueOrDefault("change: 4.05") > 0;
        });
    }
}
