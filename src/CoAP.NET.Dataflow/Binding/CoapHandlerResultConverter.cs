using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;

namespace CoAP.NET.Binding;

/// <summary>Creates answers from the results of handlers. For generated code.</summary>
// Waiting for a handler costs no object of its own: the server awaits each answer once.
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapHandlerResultConverter
{
    /// <summary>Creates the answer of a handler without a result.</summary>
    /// <param name="request">The request.</param>
    /// <returns>2.05 for GET and FETCH, 2.02 for DELETE, 2.04 for others.</returns>
    public static CoapResult Done(CoapRequestContext request) => new(SuccessOf(request));

    /// <summary>Returns a result unmodified.</summary>
    /// <param name="request">The request.</param>
    /// <param name="result">The result; null for 4.04.</param>
    /// <returns>The answer.</returns>
    public static CoapResult FromResult(CoapRequestContext request, CoapResult? result) => result ?? CoapResults.NotFound();

    /// <summary>Creates an answer with text in UTF-8.</summary>
    /// <param name="request">The request.</param>
    /// <param name="text">The text; null for 4.04.</param>
    /// <returns>The answer.</returns>
    public static CoapResult FromText(CoapRequestContext request, string? text) =>
        text is null ? CoapResults.NotFound()
            : new CoapResult(SuccessOf(request), Encoding.UTF8.GetBytes(text), CoapContentFormat.TextPlain);

    /// <summary>Creates an answer with bytes.</summary>
    /// <param name="request">The request.</param>
    /// <param name="bytes">The bytes; null for 4.04.</param>
    /// <returns>The answer.</returns>
    public static CoapResult FromBytes(CoapRequestContext request, byte[]? bytes) =>
        bytes is null ? CoapResults.NotFound() : FromMemory(request, bytes);

    /// <summary>Creates an answer with bytes.</summary>
    /// <param name="request">The request.</param>
    /// <param name="bytes">The bytes.</param>
    /// <returns>The answer.</returns>
    public static CoapResult FromMemory(CoapRequestContext request, ReadOnlyMemory<byte> bytes) =>
        new(SuccessOf(request), bytes, CoapContentFormat.OctetStream);

    /// <summary>
    /// Creates an answer with a representation, and the success code of the method: only GET and FETCH allow 2.05 (RFC 7252 section
    /// 5.9.1.5).
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="content">The representation; null for 4.04.</param>
    /// <returns>The answer.</returns>
    public static CoapResult FromContent(CoapRequestContext request, CoapContent? content) =>
        content is null ? CoapResults.NotFound() : new CoapResult(SuccessOf(request), content.Bytes, content.Format);

    /// <summary>Waits for a handler without a result.</summary>
    /// <param name="request">The request.</param>
    /// <param name="running">The handler.</param>
    /// <returns>The answer.</returns>
    public static ValueTask<CoapResult> DoneAsync(CoapRequestContext request, Task running)
    {
        return running.IsCompletedSuccessfully ? new ValueTask<CoapResult>(Done(request)) : Await(request, running);

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<CoapResult> Await(CoapRequestContext request, Task running)
        {
            await running.ConfigureAwait(false);
            return Done(request);
        }
    }

    /// <summary>Waits for a handler without a result.</summary>
    /// <param name="request">The request.</param>
    /// <param name="running">The handler.</param>
    /// <returns>The answer.</returns>
    public static ValueTask<CoapResult> DoneAsync(CoapRequestContext request, ValueTask running)
    {
        if (!running.IsCompletedSuccessfully)
        {
            return Await(request, running);
        }

        running.GetAwaiter().GetResult();
        return new ValueTask<CoapResult>(Done(request));

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<CoapResult> Await(CoapRequestContext request, ValueTask running)
        {
            await running.ConfigureAwait(false);
            return Done(request);
        }
    }

    /// <summary>Waits for a handler and creates its answer.</summary>
    /// <typeparam name="T">The type of its result.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="running">The handler.</param>
    /// <param name="convert">Creates the answer.</param>
    /// <returns>The answer.</returns>
    public static ValueTask<CoapResult> FromAsync<T>(CoapRequestContext request, Task<T> running,
        Func<CoapRequestContext, T, CoapResult> convert)
    {
        return running.IsCompletedSuccessfully
            ? new ValueTask<CoapResult>(convert(request, running.Result))
            : Await(request, running, convert);

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<CoapResult> Await(
            CoapRequestContext request, Task<T> running, Func<CoapRequestContext, T, CoapResult> convert) =>
            convert(request, await running.ConfigureAwait(false));
    }

    /// <summary>Waits for a handler and creates its answer.</summary>
    /// <typeparam name="T">The type of its result.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="running">The handler.</param>
    /// <param name="convert">Creates the answer.</param>
    /// <returns>The answer.</returns>
    public static ValueTask<CoapResult> FromAsync<T>(CoapRequestContext request, ValueTask<T> running,
        Func<CoapRequestContext, T, CoapResult> convert)
    {
        return running.IsCompletedSuccessfully
            ? new ValueTask<CoapResult>(convert(request, running.Result))
            : Await(request, running, convert);

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<CoapResult> Await(
            CoapRequestContext request, ValueTask<T> running, Func<CoapRequestContext, T, CoapResult> convert) =>
            convert(request, await running.ConfigureAwait(false));
    }

    private static CoapCode SuccessOf(CoapRequestContext request) => request.Method switch
    {
        CoapMethod.Get or CoapMethod.Fetch => CoapCode.Content,
        CoapMethod.Delete => CoapCode.Deleted,
        _ => CoapCode.Changed,
    };
}
