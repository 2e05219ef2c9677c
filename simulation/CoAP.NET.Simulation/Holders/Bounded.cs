namespace CoAP.NET.Simulation.Holders;

/// <summary>Steps of a run that must end, whatever hangs.</summary>
internal static class Bounded
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    /// <summary>Waits for a step.</summary>
    /// <param name="step">The step.</param>
    /// <param name="what">What it is, as the exception says.</param>
    /// <exception cref="TimeoutException">It does not end.</exception>
    public static async Task EndAsync(ValueTask step, string what)
    {
        try
        {
            await step.AsTask().WaitAsync(s_hang);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{what} does not end.", exception);
        }
    }
}
