namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Code of the application threw in a handshake. It ends this handshake and nothing else.</summary>
/// <param name="callback">The option that names the code.</param>
/// <param name="exception">What it threw.</param>
internal sealed class CallbackException(string callback, Exception exception)
    : Exception($"{callback} threw {exception.GetType().Name}: {exception.Message}", exception)
{
    /// <summary>The option that names the code.</summary>
    public string Callback => callback;

    /// <summary>Runs code of the application.</summary>
    /// <param name="callback">The option that names the code.</param>
    /// <param name="call">Runs it.</param>
    /// <exception cref="CallbackException">It threw.</exception>
    public static T Guard<T>(string callback, Func<T> call)
    {
        try
        {
            return call();
        }
#pragma warning disable CA1031 // code of the application may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            throw new CallbackException(callback, exception);
        }
    }

    /// <summary>Runs asynchronous code of the application.</summary>
    /// <param name="callback">The option that names the code.</param>
    /// <param name="call">Runs it.</param>
    /// <exception cref="CallbackException">It threw.</exception>
    public static async ValueTask<T> GuardAsync<T>(string callback, Func<ValueTask<T>> call)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // code of the application may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            throw new CallbackException(callback, exception);
        }
    }
}
