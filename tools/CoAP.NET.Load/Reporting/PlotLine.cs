namespace CoAP.NET.Load.Reporting;

internal readonly record struct PlotPoint(double X, double Y);

/// <summary>A line of a plot.</summary>
/// <param name="Name">Its name in the legend.</param>
/// <param name="Points">Its points by X.</param>
/// <param name="IsStepped">Whether a value holds until the next, as in a count.</param>
internal sealed record PlotLine(string Name, IReadOnlyList<PlotPoint> Points, bool IsStepped = false);
