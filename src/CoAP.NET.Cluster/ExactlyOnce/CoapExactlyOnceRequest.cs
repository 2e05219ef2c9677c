using System.Data.Common;

namespace CoAP.NET.Cluster;

/// <summary>A request that is executed exactly once (<see cref="CoapExactlyOnce"/>): its first transmission, or a later one.</summary>
public sealed class CoapExactlyOnceRequest
{
    private readonly CoapExactlyOnce _once;
    private readonly DbTransaction _transaction;
    private readonly string _request;

    internal CoapExactlyOnceRequest(CoapExactlyOnce once, DbTransaction transaction, string request, bool isFirst, CoapResult? answer)
    {
        _once = once;
        _transaction = transaction;
        _request = request;
        IsFirst = isFirst;
        Answer = answer;
    }

    /// <summary>
    /// Whether the request is new: execute it in the transaction, call <see cref="CompleteAsync"/>, and commit. Otherwise it was executed:
    /// roll back and return <see cref="Answer"/>.
    /// </summary>
    public bool IsFirst { get; }

    /// <summary>
    /// The answer to the request. Null if it is new, or if its transaction was committed without <see cref="CompleteAsync"/>.
    /// </summary>
    public CoapResult? Answer { get; }

    /// <summary>Records the answer for retransmissions of the request. Then commit, and return the answer.</summary>
    /// <param name="answer">The answer. The table stores its code, options and payload.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the answer is part of the transaction.</returns>
    /// <exception cref="InvalidOperationException">The request is not new.</exception>
    /// <exception cref="DbException">The database failed; roll back.</exception>
    public Task CompleteAsync(CoapResult answer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(answer);
        if (!IsFirst)
        {
            throw new InvalidOperationException("The request was executed before. Return CoapExactlyOnceRequest.Answer.");
        }

        CoapMessage message = new(answer.Code) { Payload = answer.Payload };
        message.Options.AddAll(answer.Options);
        return _once.StoreAnswerAsync(_transaction, _request, CoapDatagramSerializer.Default.Serialize(message), cancellationToken);
    }
}
