using System.Data.Common;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>A request that is to be done exactly once (<see cref="CoapOnce"/>): the first of its copies, or a later one.</summary>
public sealed class CoapOnceRun
{
    private readonly CoapOnce _once;
    private readonly DbTransaction _transaction;
    private readonly string _request;

    internal CoapOnceRun(CoapOnce once, DbTransaction transaction, string request, bool isFirst, CoapResult? answer)
    {
        _once = once;
        _transaction = transaction;
        _request = request;
        IsFirst = isFirst;
        Answer = answer;
    }

    /// <summary>
    /// Whether nobody has done the request: do it in the transaction, call <see cref="CompleteAsync"/>, and commit. Otherwise it was done;
    /// roll back and give <see cref="Answer"/>.
    /// </summary>
    public bool IsFirst { get; }

    /// <summary>
    /// What was answered to the request. Null for the first, and where the transaction of the first was committed without
    /// <see cref="CompleteAsync"/>.
    /// </summary>
    public CoapResult? Answer { get; }

    /// <summary>Puts the answer beside the request, for copies of it. Then commit, and answer.</summary>
    /// <param name="answer">The answer. Its code, options and payload are kept.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that ends when it stands in the transaction.</returns>
    /// <exception cref="InvalidOperationException">It is not the first.</exception>
    /// <exception cref="DbException">The database failed; roll back.</exception>
    public Task CompleteAsync(CoapResult answer, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(answer);
        if (!IsFirst)
        {
            throw new InvalidOperationException("The request was done before, and has its answer. Give that one.");
        }

        CoapMessage message = new(answer.Code) { Payload = answer.Payload };
        message.Options.AddAll(answer.Options);
        return _once.KeepAnswerAsync(_transaction, _request, CoapDatagramSerializer.Default.Serialize(message), cancellationToken);
    }
}
