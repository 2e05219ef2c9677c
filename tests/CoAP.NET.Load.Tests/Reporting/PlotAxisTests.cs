using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.Tests;

public sealed class PlotAxisTests
{
    [Theory]
    [InlineData(93_000, 100_000, 6)]
    [InlineData(100, 100, 6)]
    [InlineData(101, 150, 4)]
    [InlineData(7, 8, 5)]
    [InlineData(0.03, 0.03, 4)]
    [InlineData(0, 0.2, 2)]
    public void Linear_axes_end_at_a_round_number(double largest, double last, int ticks)
    {
        PlotAxis axis = PlotAxis.Linear("", [largest], FigureFormatter.Short);
        Assert.Equal(last, axis.Last, tolerance: last * 1e-9);
        Assert.Equal(ticks, axis.Ticks.Count);
        Assert.Equal((0, 1), (axis.Place(0), axis.Place(axis.Last)));
    }

    [Fact]
    public void Logarithmic_axes_with_few_decades_have_ticks_at_1_2_and_5()
    {
        PlotAxis axis = PlotAxis.Logarithmic("", [30, 0, -4, double.NaN, 900], FigureFormatter.Time);
        Assert.Equal(["20 µs", "50 µs", "100 µs", "200 µs", "500 µs", "1 ms"], axis.Ticks.Select(axis.Format));
        Assert.Equal(0.5, axis.Place(Math.Sqrt(20 * 1000)), tolerance: 1e-9);
        Assert.False(axis.Has(0) || axis.Has(double.NaN));
    }

    [Fact]
    public void Logarithmic_axes_with_many_decades_have_ticks_at_powers_of_ten()
    {
        Assert.Equal([0.1, 1, 10, 100, 1000],
            PlotAxis.Logarithmic("", [0.07, 3000], FigureFormatter.Time).Ticks.Select(tick => Math.Round(tick, 6)));
        Assert.InRange(PlotAxis.Logarithmic("", [1e-9, 1e12], FigureFormatter.Time).Ticks.Count, 5, 9);
    }

    [Fact]
    public void Axes_of_one_value_or_none_have_a_length()
    {
        foreach (double value in (double[])[1, 2, 5, 10, 0.3, 7e5])
        {
            PlotAxis axis = PlotAxis.Logarithmic("", [value], FigureFormatter.Short);
            Assert.True(axis.First < value && value < axis.Last || axis.Last >= 2 * axis.First);
            Assert.True(axis.Ticks.Count >= 2);
            Assert.InRange(axis.Place(value), 0, 1);
        }

        Assert.Equal(
            (1, 10), (PlotAxis.Logarithmic("", [], FigureFormatter.Short).First, PlotAxis.Logarithmic("", [], FigureFormatter.Short).Last));
        Assert.Equal(0.5, PlotAxis.Linear("", [1], FigureFormatter.Short).Place(0.5));
    }

    [Theory]
    [InlineData(0.5, "0.5 µs")]
    [InlineData(12.34, "12.3 µs")]
    [InlineData(999.4, "999 µs")]
    [InlineData(999.6, "1 ms")]
    [InlineData(1234.5, "1.23 ms")]
    [InlineData(999_600, "1 s")]
    [InlineData(12_345_678, "12.3 s")]
    public void Times_have_three_significant_digits_and_a_unit(double microseconds, string text) =>
        Assert.Equal(text, FigureFormatter.Time(microseconds));

    [Theory]
    [InlineData(0, "0")]
    [InlineData(2500, "2,500")]
    [InlineData(20_000, "20k")]
    [InlineData(1_500_000, "1.5M")]
    public void Tick_labels_are_short(double number, string text) => Assert.Equal(text, FigureFormatter.Short(number));
}
