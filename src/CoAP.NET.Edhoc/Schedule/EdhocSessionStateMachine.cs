using System.Security.Cryptography;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>The steps of a session: each runs once, and a fault ends the session and wipes its secrets.</summary>
internal sealed class EdhocSessionStateMachine(Action wipe)
{
    public EdhocSessionPhase Step { get; private set; }

    /// <summary>Runs a step.</summary>
    /// <exception cref="InvalidOperationException">The session has another state.</exception>
    /// <exception cref="EdhocException">The step failed, and with it the session.</exception>
    public T Do<T>(EdhocSessionPhase from, EdhocSessionPhase to, Func<T> work)
    {
        Require(from);
        Step = EdhocSessionPhase.Failed;
        try
        {
            T result = work();
            Step = to;
            return result;
        }
        catch (CryptographicException exception)
        {
            throw new EdhocException("A cryptographic operation failed.", exception);
        }
        finally
        {
            if (Step == EdhocSessionPhase.Failed)
            {
                wipe();
            }
        }
    }

    public void Require(EdhocSessionPhase step)
    {
        if (Step != step)
        {
            throw new InvalidOperationException(Step == EdhocSessionPhase.Failed
                ? "This session of EDHOC has failed. Begin a new one."
                : $"This session of EDHOC is at {Step}, and not at {step}: each step runs once and in order.");
        }
    }

    public void End() => Step = EdhocSessionPhase.Failed;
}
