using CoAP.NET.Load.Observing;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Tests;

public sealed class ObserveFiguresTests
{
    private static readonly LoadPlan s_plan = new() { Uri = "coap://127.0.0.1/x" };

    [Fact]
    public void Changes_count_only_during_the_measured_part_of_the_run()
    {
        ObserveFigures figures = new();
        figures.AddObserver();
        figures.BeginChange(1, long.MaxValue / 2);
        figures.SetMeasuring(true);
        figures.BeginChange(2, long.MaxValue / 2);
        figures.SetMeasuring(false);
        figures.BeginChange(3, long.MaxValue / 2);

        Assert.Equal(1, figures.ToResult(s_plan, 1).Changes);
    }

    [Fact]
    public void A_change_from_before_the_measurement_does_not_count()
    {
        ObserveFigures figures = new();
        figures.AddObserver();
        figures.SetMeasuring(true);
        figures.BeginChange(1, 0);

        Assert.Equal(0, figures.ToResult(s_plan, 1).Changes);
    }
}
