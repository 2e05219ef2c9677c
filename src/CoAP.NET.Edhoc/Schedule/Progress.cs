using System.Security.Cryptography;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>The steps of a session: each is done once, and a fault ends all of it and wipes what is secret.</summary>
internal sealed class Progress(Action wipe)
{
    public Step Step { get; private set; }

    /// <summary>Does a step.</summary>
    /// <param name="from">Where the session has to stand.</param>
    /// <param name="to">Where it stands afterwards.</param>
    /// <param name="work">What is done.</param>
    /// <exception cref="InvalidOperationException">It stands elsewhere.</exception>
    /// <exception cref="EdhocException">The step failed, and with it the session.</exception>
    public T Do<T>(Step from, Step to, Func<T> work)
    {
        Require(from);
        Step = Step.Failed;
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
            if (Step == Step.Failed)
            {
                wipe();
            }
        }
    }

    public void Require(Step step)
    {
        if (Step != step)
        {
            throw new InvalidOperationException(Step == Step.Failed
                ? "This session of EDHOC has failed. Begin a new one."
                : $"This session of EDHOC stands at {Step}, and not at {step}: each step is done once and in order.");
        }
    }

    public void End() => Step = Step.Failed;
}
