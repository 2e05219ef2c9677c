namespace CoAP.NET.Survival.Devices;

/// <summary>What a process of devices says at the end.</summary>
/// <param name="Answered">Requests that were answered rightly.</param>
/// <param name="Errors">Requests that ended with an error, or were refused.</param>
/// <param name="Wrong">Answers that were not those of their request.</param>
/// <param name="Unanswered">Requests that never ended.</param>
/// <param name="Waits">The longest time that each device waited for an answer since it was told to look, in milliseconds.</param>
/// <param name="AffectedWaits">The same of the devices whose last answer before was from the node that was named.</param>
/// <param name="Texts">What some of the errors said.</param>
internal sealed record DeviceFigures(
    long Answered, int Errors, int Wrong, int Unanswered, IReadOnlyList<int> Waits, IReadOnlyList<int> AffectedWaits,
    IReadOnlyList<string> Texts)
{
    public static DeviceFigures Sum(IReadOnlyCollection<DeviceFigures> all) => new(
        all.Sum(one => one.Answered), all.Sum(one => one.Errors), all.Sum(one => one.Wrong),
        all.Sum(one => one.Unanswered), [.. all.SelectMany(one => one.Waits).Order()],
        [.. all.SelectMany(one => one.AffectedWaits).Order()], [.. all.SelectMany(one => one.Texts)]);

    /// <summary>The wait that so large a part of some is not above, in seconds.</summary>
    /// <param name="waits">The waits, in order.</param>
    /// <param name="part">The part, from 0 to 1.</param>
    public static double Seconds(IReadOnlyList<int> waits, double part) =>
        waits.Count == 0 ? 0 : waits[Math.Max(0, (int)Math.Ceiling(waits.Count * part) - 1)] / 1000.0;
}
