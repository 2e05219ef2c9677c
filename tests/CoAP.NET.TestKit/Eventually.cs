using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Tests;

/// <summary>Waits for what real threads do and no event tells of; a guard against hanging, no assertion about time.</summary>
internal static class Eventually
{
    private const int Moments = 100;

    // Longer than a busy machine needs, and within the limit of a trial of mutations (CONTRIBUTING.md).
    private static readonly TimeSpan s_guard = FromSeconds(30);

    public static async Task IsTrueAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string? what = null)
    {
        if (!await IsTrueOrHangsAsync(condition))
        {
            throw new TimeoutException($"What was waited for did not happen within the guard against hanging: {what}");
        }
    }

    /// <summary>For what the assertions after it name better than a timeout does.</summary>
    public static async Task<bool> IsTrueOrHangsAsync(Func<bool> condition)
    {
        using CancellationTokenSource guard = new(s_guard);
        for (int looks = 0; !condition(); looks++)
        {
            if (guard.IsCancellationRequested)
            {
                return false;
            }

            await PauseAsync(looks);
        }

        return true;
    }

    /// <summary>
    /// Runs a test that gives a port back and binds it again: another process may take it in between; hardly so each time.
    /// </summary>
    /// <param name="test">The test, from its beginning.</param>
    public static async Task BindsAgainAsync(Func<Task> test)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                await test();
                return;
            }
            catch (Exception exception) when (attempt < 10
                && exception is CoapBindException or SocketException { SocketErrorCode: SocketError.AddressAlreadyInUse })
            {
            }
        }
    }

    /// <summary>Lets other threads run: at first for a moment, then without taking the processor that they may wait for.</summary>
    /// <param name="looks">How often it was looked in vain.</param>
    public static async Task PauseAsync(int looks)
    {
        if (looks < Moments)
        {
            await Task.Yield();
        }
        else
        {
            await Task.Delay(FromMilliseconds(1), TimeProvider.System, CancellationToken.None);
        }
    }
}
